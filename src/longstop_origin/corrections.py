"""stub"""
from longstop_origin.script import MatchScript
def with_corrections(script: MatchScript, seed: int, level: str) -> MatchScript:
    return script
