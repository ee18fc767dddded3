"""Runs a command whose stderr is a terminal of 80 columns: terminal.py TEXT FILE COMMAND...

FILE is made once TEXT was shown. All that was shown goes to stderr when the command has ended, each escape character as a caret.
"""

import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import sys
import termios

text, file, *command = sys.argv[1:]
controller, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
process = subprocess.Popen(command, stderr=terminal)
os.close(terminal)
shown = b""
try:
    while part := os.read(controller, 4096):
        shown += part
        if text.encode() in shown:
            pathlib.Path(file).touch()
except OSError:  # No process has the terminal open any more.
    pass
sys.stderr.write(shown.decode().replace("\r", "").replace("\x1b", "^"))
sys.exit(process.wait())
