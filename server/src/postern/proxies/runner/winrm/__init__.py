"""WinRM, as MS-WSMV and DSP0226 describe it: sign-in, messages, and programs on Windows hosts."""
