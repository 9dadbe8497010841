"""What is found in recordings: their lines, how lines are compared, and the pieces in which they are stored.

`lines` reads a sealed recording, `folding` compares texts, `pieces` packs lines, `program` does all of it as a process of
its own.
"""
