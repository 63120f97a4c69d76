"""The C function of `armdyn.targets.native.xla_handler` as LLVM IR.

In C it is ``XLA_FFI_Error *armdyn_xla(XLA_FFI_CallFrame *frame)``. The structures are those of XLA's public header
``xla/ffi/api/c_api.h``, read here by bytes from their start:

- call frame: 0 its size, 8 extension, 16 api, 32 stage, 40 arguments, 80 results, 120 attributes; 168 in all;
- arguments and results, 40 bytes each: 0 size, 16 count, 32 addresses of buffers; attributes, 48 bytes: 0 size,
  16 count, 24 kinds, 40 addresses of values;
- buffer: 0 its size, 16 type of numbers, 24 data, 32 number of axes, 40 extents; 48 in all;
- array among the attributes: 0 type of numbers, 8 count, 16 data;
- extension: 0 its size, 8 kind; that of metadata, 24 the metadata: 0 its size, 8 version (size, extension, 24 major,
  28 minor), 40 traits;
- api: 0 its size, 16 version (size, extension, 32 major, 36 minor), 48 ``XLA_FFI_Error_Create``.
"""

from __future__ import annotations

ENTRY = "armdyn_xla"

KERNEL = "armdyn_xla_kernel"
"""The symbol of the inner loop that the handler calls."""

MOST_ARRAYS = 1024
"""The most arguments and results together: their addresses take 8 kB of the stack."""

HEAD = 6
"""The number of words of a plan before the arrays' sizes."""

_FRAME, _ARRAYS, _ATTRIBUTES, _BUFFER = 168, 40, 48, 48
_METADATA, _EXECUTE, _ARRAY, _S64 = 1, 3, 1, 5
_EXTENSION, _ERROR = 32, 28
_INVALID_ARGUMENT = 3

OTHERWISE = b"XLA calls armdyn's handler with other buffers than were planned, or lays its structures out otherwise"


def handler_ir(triple: str) -> str:
    """The module with the function `ENTRY`."""
    return f"""\
target triple = "{triple}"

declare void @{KERNEL}(ptr, ptr, ptr, ptr)
@otherwise = private unnamed_addr constant [{len(OTHERWISE) + 1} x i8] c"{OTHERWISE.decode()}\\00"
{_ENTRY}{_METADATA_REPLY}{_IS_KNOWN}{_FITS}{_RUN}{_FAILED}
attributes #0 = {{ nounwind }}
"""


def _load(name: str, base: str, offset: int, kind: str = "i64") -> str:
    """Read a field of a structure, ``offset`` bytes from its start."""
    return f"%{name}.at = getelementptr i8, ptr %{base}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}.at"


def _word(name: str, index: int) -> str:
    """Read a word of the plan."""
    return _load(name, "plan", 8 * index)


# Answers a request for metadata, refuses unknown layouts, ignores other stages, evaluates.
_ENTRY = f"""
define ptr @{ENTRY}(ptr %frame) #0 {{
entry:
  %data = alloca [{MOST_ARRAYS} x ptr]
  %known = call i1 @is_known(ptr %frame)
  {_load("extension", "frame", 8, "ptr")}
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %stages, label %extended
extended:
  {_load("kind", "extension", 8, "i32")}
  %is.metadata = icmp eq i32 %kind, {_METADATA}
  br i1 %is.metadata, label %metadata, label %stages
metadata:
  call void @tell(ptr %frame, ptr %extension, i1 %known)
  ret ptr null
stages:
  br i1 %known, label %stage, label %failed
stage:
  {_load("now", "frame", 32, "i32")}
  %executes = icmp eq i32 %now, {_EXECUTE}
  br i1 %executes, label %check, label %done
check:
  %plan = call ptr @fits(ptr %frame, ptr %data)
  %unfit = icmp eq ptr %plan, null
  br i1 %unfit, label %failed, label %run
run:
  call void @run(ptr %plan, ptr %data)
  ret ptr null
done:
  ret ptr null
failed:
  %error = call ptr @failed(ptr %frame)
  ret ptr %error
}}
"""

# Writes the version of this handler: XLA's own of major version 0 if the layout of the call frame is the known one,
# because a minor version only adds fields; -1 if it is not, which XLA refuses to register.
_METADATA_REPLY = f"""
define internal void @tell(ptr %frame, ptr %extension, i1 %known) #0 {{
entry:
  {_load("extension.size", "extension", 0)}
  %whole = icmp uge i64 %extension.size, {_EXTENSION}
  br i1 %whole, label %answer, label %done
answer:
  {_load("metadata", "extension", 24, "ptr")}
  %major.at = getelementptr i8, ptr %metadata, i64 24
  %minor.at = getelementptr i8, ptr %metadata, i64 28
  %traits.at = getelementptr i8, ptr %metadata, i64 40
  store i32 0, ptr %traits.at
  {_load("api", "frame", 16, "ptr")}
  %silent = icmp eq ptr %api, null
  br i1 %silent, label %write, label %ask
ask:
  {_load("its.major", "api", 32, "i32")}
  {_load("its.minor", "api", 36, "i32")}
  br label %write
write:
  %major = phi i32 [ 0, %answer ], [ %its.major, %ask ]
  %minor = phi i32 [ 1, %answer ], [ %its.minor, %ask ]
  %zero = icmp eq i32 %major, 0
  %good = and i1 %known, %zero
  %said = select i1 %good, i32 0, i32 -1
  store i32 %said, ptr %major.at
  store i32 %minor, ptr %minor.at
  br label %done
done:
  ret void
}}
"""

# Returns true if the call frame has the fields that are read, at the offsets at which they are read.
_IS_KNOWN = f"""
define internal i1 @is_known(ptr %frame) #0 {{
entry:
  {_load("size", "frame", 0)}
  %enough = icmp uge i64 %size, {_FRAME}
  br i1 %enough, label %parts, label %no
parts:
  {_load("arguments", "frame", 40)}
  {_load("results", "frame", 80)}
  {_load("attributes", "frame", 120)}
  %first = icmp eq i64 %arguments, {_ARRAYS}
  %second = icmp eq i64 %results, {_ARRAYS}
  %third = icmp uge i64 %attributes, {_ATTRIBUTES}
  %both = and i1 %first, %second
  %all = and i1 %both, %third
  ret i1 %all
no:
  ret i1 false
}}
"""

# Returns the plan if every buffer agrees with it, with the buffers' data in %data; else null.
_FITS = f"""
define internal ptr @fits(ptr %frame, ptr %data) #0 {{
entry:
  {_load("attributes", "frame", 136)}
  %one = icmp eq i64 %attributes, 1
  br i1 %one, label %attribute, label %no
attribute:
  {_load("kinds", "frame", 144, "ptr")}
  {_load("values", "frame", 160, "ptr")}
  %kind = load i32, ptr %kinds
  %value = load ptr, ptr %values
  %is.array = icmp eq i32 %kind, {_ARRAY}
  br i1 %is.array, label %array, label %no
array:
  {_load("type", "value", 0, "i32")}
  {_load("words", "value", 8)}
  {_load("plan", "value", 16, "ptr")}
  %integers = icmp eq i32 %type, {_S64}
  %head = icmp uge i64 %words, {HEAD}
  %readable = and i1 %integers, %head
  br i1 %readable, label %counts, label %no
counts:
  {_word("length", 0)}
  {_word("inputs", 1)}
  {_word("arrays", 2)}
  {_word("numbers", 3)}
  {_load("arguments", "frame", 56)}
  {_load("results", "frame", 96)}
  {_load("argument.buffers", "frame", 72, "ptr")}
  {_load("result.buffers", "frame", 112, "ptr")}
  %sum = add i64 %arguments, %results
  %same.length = icmp eq i64 %length, %words
  %same.inputs = icmp eq i64 %inputs, %arguments
  %same.arrays = icmp eq i64 %arrays, %sum
  %few = icmp ule i64 %arrays, {MOST_ARRAYS}
  %of.arrays = mul i64 %arrays, 3
  %least = add i64 %of.arrays, {HEAD}
  %complete = icmp uge i64 %words, %least
  %a = and i1 %same.length, %same.inputs
  %b = and i1 %same.arrays, %few
  %c = and i1 %a, %b
  %agree = and i1 %c, %complete
  br i1 %agree, label %next, label %no
next:
  %k = phi i64 [ 0, %counts ], [ %k.next, %fit ]
  %left = icmp ult i64 %k, %arrays
  br i1 %left, label %buffer, label %yes
buffer:
  %is.argument = icmp ult i64 %k, %inputs
  %of.results = sub i64 %k, %inputs
  %index = select i1 %is.argument, i64 %k, i64 %of.results
  %buffers = select i1 %is.argument, ptr %argument.buffers, ptr %result.buffers
  %one.at = getelementptr ptr, ptr %buffers, i64 %index
  %buffer.is = load ptr, ptr %one.at
  {_load("size", "buffer.is", 0)}
  %whole = icmp uge i64 %size, {_BUFFER}
  br i1 %whole, label %look, label %no
look:
  {_load("dtype", "buffer.is", 16, "i32")}
  {_load("start", "buffer.is", 24, "ptr")}
  {_load("rank", "buffer.is", 32)}
  {_load("extents", "buffer.is", 40, "ptr")}
  %dtype.64 = sext i32 %dtype to i64
  %same.dtype = icmp eq i64 %dtype.64, %numbers
  br i1 %same.dtype, label %axis, label %no
axis:
  %d = phi i64 [ 0, %look ], [ %d.next, %extent ]
  %product = phi i64 [ 1, %look ], [ %product.next, %extent ]
  %through = icmp sge i64 %d, %rank
  br i1 %through, label %measured, label %extent
extent:
  %extent.at = getelementptr i64, ptr %extents, i64 %d
  %extent.is = load i64, ptr %extent.at
  %product.next = mul i64 %product, %extent.is
  %d.next = add i64 %d, 1
  br label %axis
measured:
  %word = add i64 %k, {HEAD}
  %wanted.at = getelementptr i64, ptr %plan, i64 %word
  %wanted = load i64, ptr %wanted.at
  %same = icmp eq i64 %wanted, %product
  br i1 %same, label %fit, label %no
fit:
  %data.at = getelementptr ptr, ptr %data, i64 %k
  store ptr %start, ptr %data.at
  %k.next = add i64 %k, 1
  br label %next
yes:
  ret ptr %plan
no:
  ret ptr null
}}
"""

# Calls the inner loop for every row of states. After the sizes a plan has the steps from row to row, then the steps
# that the inner loop takes.
_RUN = f"""
define internal void @run(ptr %plan, ptr %data) #0 {{
entry:
  {_word("arrays", 2)}
  {_word("rows", 4)}
  %states = getelementptr i64, ptr %plan, i64 5
  %sizes = getelementptr i64, ptr %plan, i64 {HEAD}
  %outer = getelementptr i64, ptr %sizes, i64 %arrays
  %steps = getelementptr i64, ptr %outer, i64 %arrays
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %moved ]
  %left = icmp slt i64 %r, %rows
  br i1 %left, label %compute, label %done
compute:
  call void @{KERNEL}(ptr %data, ptr %states, ptr %steps, ptr null)
  br label %move
move:
  %k = phi i64 [ 0, %compute ], [ %k.next, %move ]
  %at = getelementptr ptr, ptr %data, i64 %k
  %start = load ptr, ptr %at
  %step.at = getelementptr i64, ptr %outer, i64 %k
  %step = load i64, ptr %step.at
  %moved.to = getelementptr i8, ptr %start, i64 %step
  store ptr %moved.to, ptr %at
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %arrays
  br i1 %more, label %move, label %moved
moved:
  %r.next = add i64 %r, 1
  br label %row
done:
  ret void
}}
"""

# Makes an error of XLA.
_FAILED = f"""
define internal ptr @failed(ptr %frame) #0 {{
entry:
  %arguments = alloca [4 x i64]
  {_load("api", "frame", 16, "ptr")}
  {_load("create", "api", 48, "ptr")}
  store i64 {_ERROR}, ptr %arguments
  %extension.at = getelementptr i8, ptr %arguments, i64 8
  store ptr null, ptr %extension.at
  %message.at = getelementptr i8, ptr %arguments, i64 16
  store ptr @otherwise, ptr %message.at
  %code.at = getelementptr i8, ptr %arguments, i64 24
  store i32 {_INVALID_ARGUMENT}, ptr %code.at
  %error = call ptr %create(ptr %arguments)
  ret ptr %error
}}
"""
