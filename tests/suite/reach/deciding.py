"""Functions that decide, each in its own way."""

from collections.abc import Callable, Iterator
from contextlib import suppress


def early_return(x: int) -> str:
    if x > 1:
        return "many"
    return "few"


def several_conditions(x: int) -> int:
    if x > 2:
        return 2
    elif x == 1:  # noqa: RET505
        return 1
    else:
        return 0


def loop_to_its_end(x: int) -> str:
    while x:
        x -= 1
    else:
        return "over"


def loop_that_is_left(x: int) -> int:
    while True:
        x += 1
        if x > 5:
            break
    return x


def items(x: int) -> int:
    found = 0
    for i in range(x):
        if i == 2:
            continue
        found += i
    return found


def cases(x: int) -> str:
    match x:
        case 0:
            return "none"
        case 1 | 2 if x > 1:
            return "two"
    return "else"


def caught(x: int) -> int | None:
    try:
        return 6 // x
    except ZeroDivisionError:
        return None
    finally:
        x = 0


def not_caught(x: int) -> int | str:
    try:
        y = 6 // x
    except ZeroDivisionError as error:
        return str(error)
    else:
        return y


def suppressed(x: int) -> int:
    with suppress(ZeroDivisionError):
        return 1 // x
    return -1


def conditional(x: int) -> str:
    return "odd" if x % 2 else "even"


def negated(x: int) -> int:
    if not x:
        return 1
    return x


def operands(x: int) -> object:
    return (x and x + 1) or str(x)


def filters(x: int) -> list[int]:
    return [i for i in range(x) if i % 2]


def comprehensions(x: int) -> object:
    return (
        [i for i in range(x) if i % 2 if i > 1],
        {i: i * i for i in range(x) if not i % 2},
        {j for i in range(x) for j in range(i)},
        [y for i in range(x) if (y := i * 2) > 1],
    )


def generator(x: int) -> list[int]:
    def each() -> Iterator[int]:
        for i in range(x):
            yield i or 7

    return list(each())


def functions(x: int) -> object:
    count = 0

    def up() -> None:
        nonlocal count
        count += x

    up()
    return sorted(range(count), key=lambda i: -i)


def parts(x: int) -> object:
    first, *rest = [*range(x), 7]
    return first, rest[: x and 1], f"{x or 3:>4}", dict(a=x or 1)  # noqa: C408


DECIDING: tuple[Callable[[int], object], ...] = (
    early_return,
    several_conditions,
    loop_to_its_end,
    loop_that_is_left,
    items,
    cases,
    caught,
    not_caught,
    suppressed,
    conditional,
    negated,
    operands,
    filters,
    comprehensions,
    generator,
    functions,
    parts,
)
