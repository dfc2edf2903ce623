"""The command ``sabot``: starts the program, or reports that its installation is broken.

Without this module Python would then exit with code 1, which means findings.
"""

import sys


def run() -> None:
    """Run the command line of this process and exit."""
    try:
        from sabot.cli import main  # noqa: PLC0415 - it may fail, which is what this module is for

        main.run()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the installation
        sys.stderr.write(
            f"sabot: the installation is broken: {type(error).__name__}: {error}; "
            "install Sabot again\n"
        )
        sys.exit(70)
