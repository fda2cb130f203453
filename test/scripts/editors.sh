#!/bin/sh
# The grammar for editors has the words of the parser, and nothing else; completion has the options of the program.
exec python3 "$(dirname "$0")/editors.py"
