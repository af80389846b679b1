"""The language of the house: pure values, no I/O, no asyncio."""
