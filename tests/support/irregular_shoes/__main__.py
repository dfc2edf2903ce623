"""Print the largest mean of each irregular situation."""

import sys

from tests.support.irregular_shoes import ACCOUNTS, HABITS, SHOES, SITUATIONS, mean_of


def main(*, full: bool) -> None:
    """Print the largest mean of each situation, over habits, components and shoes."""
    for name in SITUATIONS:
        largest = max(
            (mean_of(name, habit, accounts, shoe), habit, accounts or "all", shoe)
            for habit in HABITS
            for accounts in (ACCOUNTS if full else ACCOUNTS[:2])
            for shoe in (SHOES if full else SHOES[:1])
        )
        mean, *where = largest
        sys.stdout.write(f"| {name} | {float(mean):.4f} | {', '.join(where)} |\n")  # type: ignore[arg-type]
        sys.stdout.flush()


if __name__ == "__main__":
    main(full="--full" in sys.argv)
