"""Bad input: one clear sentence each, and an exit code that nothing else has."""

from collections.abc import Iterator

from benchmarks.bad_input import MISTAKES, make, write_bad_files
from benchmarks.figures import Figure, Wishes, exactly, holds, tell
from benchmarks.processes import empty_folder


def prove_refusals(_: Wishes) -> Iterator[Figure]:
    codes = []
    with empty_folder("refusals") as folder:
        write_bad_files(folder)
        for mistake in MISTAKES:
            ended = make(mistake, folder)
            codes.append(ended.code)
            is_well = ended.code == mistake.code and ended.is_one_sentence and mistake.says in ended.complained
            tell(ended.sentence)
            yield holds(mistake.name, is_well, f"exit {ended.code}", f"exit {mistake.code} and one sentence")
    yield exactly("exit codes that differ", len(set(codes)), len(MISTAKES))
