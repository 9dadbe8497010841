"""What all protocols share: the life cycle of a session, its recording and audit, and the connection to the control
plane.
"""
