"""Holds the keys that can run a line until the command filters of the session have decided about the line.

`gate` is the component that fronts use, through `ports`: it works for every protocol whose user types lines. `rulings`
decides, with what `keystrokes` and `edited_line` know from the keys and the command detector from the screen.
"""
