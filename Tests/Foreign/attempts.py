"""Tries again what a busy machine may delay."""

import functools

ATTEMPTS = 3


def tried(check):
    """A check of something that has to happen soon: one of three attempts has to succeed.

    A busy machine may be late, but not each time.
    """
    @functools.wraps(check)
    def attempt(*arguments):
        for number in range(1, ATTEMPTS + 1):
            try:
                return check(*arguments)
            except Exception as error:
                if number == ATTEMPTS:
                    raise
                print(f"{check.__name__} failed, and is tried again: {error!r}", flush=True)
    return attempt
