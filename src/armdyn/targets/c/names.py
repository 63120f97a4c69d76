"""Names in C: reserved words, and unique names for the constants of a function."""

from __future__ import annotations

import re
from collections.abc import Collection

from armdyn.targets.c.dialect import INLINE, LIBM
from armdyn.targets.identifiers import identifier

KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while alignas alignof
bool complex constexpr false imaginary noreturn nullptr static_assert thread_local true typeof and and_eq asm bitand
bitor catch char16_t char32_t char8_t class co_await co_return co_yield compl concept const_cast consteval constinit
decltype delete dynamic_cast explicit export friend import module mutable namespace new noexcept not not_eq operator
or or_eq private protected public reinterpret_cast requires static_cast template this throw try typeid typename union
using virtual wchar_t xor xor_eq
"""
"""The keywords of C up to C23, and of C++, from which the header can be used."""

LIBRARY = """
abort abs acosh asinh asctime assert atanh atexit atof atoi atol bsearch calloc cbrt ceil clock copysign cosh ctime
difftime div erf erfc errno exit exp2 expm1 fclose fdim feof ferror fflush fgetc fgetpos fgets fma fmax fmin fmod
fopen fprintf fputc fputs fread free freopen frexp fscanf fseek fsetpos ftell fwrite gamma getc getchar getenv gets
gmtime hypot ilogb index isalnum isalpha iscntrl isdigit isfinite isgraph isinf islower isnan isnormal isprint ispunct
isspace isupper isxdigit j0 j1 jn labs ldexp ldiv lgamma llrint llround localeconv localtime log10 log1p log2 logb
longjmp lrint lround main malloc memchr memcmp memcpy memmove memset mktime modf nan nearbyint nextafter perror printf
putc putchar puts qsort raise rand read realloc remainder remove remquo rename rewind rindex rint round scalbn scanf
select setbuf setjmp setvbuf signal signbit sinh sleep sprintf srand sscanf stdin stdout stderr strcat strchr strcmp
strcpy strlen system tgamma time tmpfile tmpnam tolower toupper trunc ungetc va_arg va_end va_start write y0 y1 yn
INFINITY NAN HUGE_VAL HUGE_VALF HUGE_VALL FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO FP_ILOGB0 FP_ILOGBNAN
FP_FAST_FMA FP_FAST_FMAF MATH_ERRNO MATH_ERREXCEPT math_errhandling M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2
M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 NULL EOF BUFSIZ FILENAME_MAX FOPEN_MAX L_tmpnam SEEK_CUR SEEK_END
SEEK_SET TMP_MAX FILE size_t fpos_t float_t double_t linux unix i386
"""

FILES = """
assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool
stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar unistd wchar wctype m c
all clean codegen depend edit_cache help install list_install_components package package_source preinstall
rebuild_cache test all_build run_tests zero_check
aux con nul prn
"""
"""Headers and libraries of C, CMake's own targets, devices of Windows."""

OWN = {name: f"armdyn_{name}" for name in (*INLINE, "sin", "cos", "sincos")}
"""The functions that the source itself defines."""

RESERVED = frozenset(
    {*KEYWORDS.split(), *LIBRARY.split(), *LIBM.values(), *(f"{name}f" for name in LIBM.values()), *OWN.values()}
)
"""Keywords, declarations of C's headers, predefined names of compilers, and functions defined in the source."""


def c_name(name: str) -> str:
    """A name of a function or an array in C.

    >>> c_name("forearm_link.mass"), c_name("double"), c_name("exp")
    ('forearm_link_mass', 'double_', 'exp_')
    """
    return identifier(name, RESERVED)


def file_name(name: str) -> str:
    """A name for the files of a module, its library and its CMake target.

    >>> file_name("ur5"), file_name("test"), file_name("Math")
    ('ur5', 'test_', 'Math_')
    """
    plain = c_name(name)
    return f"{plain}_" if plain.lower() in FILES.split() else plain


def unlike(prefix: str, taken: Collection[str]) -> str:
    """The prefix, extended by underscores until no used name is the prefix and a number.

    >>> unlike("t", ["q", "t0"]), unlike("t", ["t", "tau"])
    ('t_', 't')
    """
    while any(re.fullmatch(rf"{prefix}\d+", name) for name in taken):
        prefix += "_"
    return prefix
