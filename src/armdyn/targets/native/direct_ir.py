"""The C function of `armdyn.targets.native.direct` as LLVM IR.

In C it is ``PyObject *armdyn_call(PyObject *gateway, PyObject *const *args, Py_ssize_t count, PyObject *kwnames)``.
That module describes the words of the gateway and of a record. The fields of ``PyArrayObject`` that it reads are, by
bytes from the start: 8 type, 16 data, 24 number of axes, 32 extents, 56 dtype, 64 flags.
"""

from __future__ import annotations

ENTRY = "armdyn_call"

_NPY_DOUBLE = 12
_PLAIN = 0x0001 | 0x0100  # NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_ALIGNED
_WRITABLE = _PLAIN | 0x0400  # NPY_ARRAY_WRITEABLE
_TUPLE_SUBCLASS = 1 << 26  # Py_TPFLAGS_TUPLE_SUBCLASS


def call_ir(most: int, triple: str) -> str:
    """The module with the function `ENTRY`, for at most ``most`` arrays and as many results."""
    return f"""\
target triple = "{triple}"

declare ptr @PyBytes_AsString(ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyType_GetFlags(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
{_call(most)}{_ROOM}{_APART}{_FITS}{_evaluate(most)}
attributes #0 = {{ nounwind }}
"""


def _load(name: str, base: str, offset: int, kind: str = "ptr") -> str:
    """Read a field of a C structure, ``offset`` bytes from its start."""
    return f"%{name}.at = getelementptr i8, ptr %{base}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}.at"


def _word(name: str, index: int, kind: str = "i64") -> str:
    """Read a word of the record."""
    return _load(name, "record", 8 * index, kind)


def _call(most: int) -> str:
    """Find the record for this number of arrays; if all of them fit, evaluate, otherwise call the fallback.

    The only keyword that is accepted here is ``out``. Its value follows the arrays.
    """
    return f"""
define ptr @{ENTRY}(ptr %self, ptr %arguments, i64 %count, ptr %keywords) #0 {{
entry:
  %data = alloca [{2 * most} x ptr]
  %room = alloca [{most} x ptr]
  %gateway = call ptr @PyBytes_AsString(ptr %self)
  %bound = icmp sgt i64 %count, 0
  br i1 %bound, label %method, label %otherwise
method:
  %by.position = icmp eq ptr %keywords, null
  br i1 %by.position, label %ask, label %names
names:
  %names.count = call i64 @PyTuple_Size(ptr %keywords)
  %one.name = icmp eq i64 %names.count, 1
  br i1 %one.name, label %name, label %otherwise
name:
  {_load("out.name", "gateway", 48)}
  %keyword = call ptr @PyTuple_GetItem(ptr %keywords, i64 0)
  %is.out = icmp eq ptr %keyword, %out.name
  br i1 %is.out, label %ask, label %otherwise
ask:
  {_load("attribute", "gateway", 0)}
  %instance = load ptr, ptr %arguments
  %holder = call ptr @PyObject_GetAttr(ptr %instance, ptr %attribute)
  %missing = icmp eq ptr %holder, null
  br i1 %missing, label %failed, label %open
open:
  %records = call ptr @PyBytes_AsString(ptr %holder)
  %unreadable = icmp eq ptr %records, null
  br i1 %unreadable, label %release, label %search
search:
  %given = sub i64 %count, 1
  br label %one
one:
  %record = phi ptr [ %records, %search ], [ %next, %other ]
  {_word("inputs", 0)}
  %end = icmp eq i64 %inputs, 0
  br i1 %end, label %leave, label %compare
compare:
  %same = icmp eq i64 %inputs, %given
  br i1 %same, label %look, label %other
other:
  {_word("size", 2)}
  %next = getelementptr i64, ptr %record, i64 %size
  br label %one
look:
  %arrays = getelementptr ptr, ptr %arguments, i64 1
  {_word("outputs", 1)}
  %ranks = getelementptr i64, ptr %record, i64 8
  %all = add i64 %inputs, %outputs
  %extents = getelementptr i64, ptr %ranks, i64 %all
  %fits = call i1 @fits(
    ptr %gateway, i64 %inputs, ptr %ranks, ptr %extents, i32 {_PLAIN}, ptr %arrays, ptr %data
  )
  br i1 %fits, label %results, label %leave
results:
  br i1 %by.position, label %evaluate, label %look.out
look.out:
  %out.at = getelementptr ptr, ptr %arguments, i64 %count
  %out = load ptr, ptr %out.at
  %targets = getelementptr ptr, ptr %data, i64 %inputs
  %has.room = call i1 @has_room(ptr %gateway, ptr %record, ptr %out, ptr %room, ptr %targets)
  br i1 %has.room, label %evaluate, label %leave
evaluate:
  %into = phi ptr [ null, %results ], [ %room, %look.out ]
  %result = call ptr @evaluate(ptr %gateway, ptr %record, ptr %data, ptr %into)
  br label %release
release:
  %answer = phi ptr [ null, %open ], [ %result, %evaluate ]
  call void @Py_DecRef(ptr %holder)
  ret ptr %answer
failed:
  ret ptr null
leave:
  call void @Py_DecRef(ptr %holder)
  br label %otherwise
otherwise:
  {_load("fallback", "gateway", 8)}
  %explained = call ptr @PyObject_Vectorcall(ptr %fallback, ptr %arguments, i64 %count, ptr %keywords)
  ret ptr %explained
}}
"""


# Returns true if ``out`` is an array, or a tuple of several, that results can be written to, and then its addresses.
_ROOM = f"""
define internal i1 @has_room(ptr %gateway, ptr %record, ptr %out, ptr %room, ptr %targets) #0 {{
entry:
  {_word("inputs", 0)}
  {_word("outputs", 1)}
  %single = icmp eq i64 %outputs, 1
  br i1 %single, label %alone, label %several
alone:
  store ptr %out, ptr %room
  br label %check
several:
  {_load("type", "out", 8)}
  %kind = call i64 @PyType_GetFlags(ptr %type)
  %tuple = and i64 %kind, {_TUPLE_SUBCLASS}
  %is.tuple = icmp ne i64 %tuple, 0
  br i1 %is.tuple, label %count, label %no
count:
  %size = call i64 @PyTuple_Size(ptr %out)
  %enough = icmp eq i64 %size, %outputs
  br i1 %enough, label %take, label %no
take:
  %k = phi i64 [ 0, %count ], [ %k.next, %take ]
  %array = call ptr @PyTuple_GetItem(ptr %out, i64 %k)
  %to = getelementptr ptr, ptr %room, i64 %k
  store ptr %array, ptr %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %outputs
  br i1 %more, label %take, label %check
check:
  %all.ranks = getelementptr i64, ptr %record, i64 8
  %ranks = getelementptr i64, ptr %all.ranks, i64 %inputs
  {_word("extents.index", 6)}
  %extents = getelementptr i64, ptr %record, i64 %extents.index
  %fits = call i1 @fits(
    ptr %gateway, i64 %outputs, ptr %ranks, ptr %extents, i32 {_WRITABLE}, ptr %room, ptr %targets
  )
  br i1 %fits, label %apart, label %no
apart:
  %are.apart = call i1 @are_apart(i64 %outputs, ptr %ranks, ptr %extents, ptr %targets)
  ret i1 %are.apart
no:
  ret i1 false
}}
"""


# Returns true if no two of the arrays share memory: contiguous ones of float64, of these extents.
_APART = """
define internal i1 @are_apart(i64 %count, ptr %ranks, ptr %extents, ptr %data) #0 {
entry:
  %ends = alloca i64, i64 %count
  br label %each
each:
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %extent = phi ptr [ %extents, %entry ], [ %extent.next, %next ]
  %rank.at = getelementptr i64, ptr %ranks, i64 %k
  %rank = load i64, ptr %rank.at
  br label %axis
axis:
  %d = phi i64 [ 0, %each ], [ %d.next, %longer ]
  %size = phi i64 [ 8, %each ], [ %size.next, %longer ]
  %through = icmp eq i64 %d, %rank
  br i1 %through, label %sized, label %longer
longer:
  %have.at = getelementptr i64, ptr %extent, i64 %d
  %have = load i64, ptr %have.at
  %size.next = mul i64 %size, %have
  %d.next = add i64 %d, 1
  br label %axis
sized:
  %begin.at = getelementptr ptr, ptr %data, i64 %k
  %begin.pointer = load ptr, ptr %begin.at
  %begin = ptrtoint ptr %begin.pointer to i64
  %end = add i64 %begin, %size
  %end.at = getelementptr i64, ptr %ends, i64 %k
  store i64 %end, ptr %end.at
  br label %other
other:
  %j = phi i64 [ 0, %sized ], [ %j.next, %beside ]
  %all = icmp eq i64 %j, %k
  br i1 %all, label %next, label %compare
compare:
  %first.at = getelementptr ptr, ptr %data, i64 %j
  %first.pointer = load ptr, ptr %first.at
  %first = ptrtoint ptr %first.pointer to i64
  %last.at = getelementptr i64, ptr %ends, i64 %j
  %last = load i64, ptr %last.at
  %before = icmp ule i64 %end, %first
  %behind = icmp ule i64 %last, %begin
  %is.beside = or i1 %before, %behind
  br i1 %is.beside, label %beside, label %no
beside:
  %j.next = add i64 %j, 1
  br label %other
next:
  %extent.next = getelementptr i64, ptr %extent, i64 %rank
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %count
  br i1 %more, label %each, label %yes
yes:
  ret i1 true
no:
  ret i1 false
}
"""


# Returns true if all are plain arrays of one state with these flags, and then the addresses of their numbers.
_FITS = f"""
define internal i1 @fits(
  ptr %gateway, i64 %count, ptr %ranks, ptr %extents, i32 %needed, ptr %arrays, ptr %data
) #0 {{
entry:
  {_load("ndarray", "gateway", 16)}
  {_load("float64", "gateway", 24)}
  br label %each
each:
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %wanted = phi ptr [ %extents, %entry ], [ %wanted.next, %next ]
  %array.at = getelementptr ptr, ptr %arrays, i64 %k
  %array = load ptr, ptr %array.at
  {_load("type", "array", 8)}
  %is.array = icmp eq ptr %type, %ndarray
  br i1 %is.array, label %look, label %no
look:
  {_load("axes", "array", 24, "i32")}
  {_load("shape", "array", 32)}
  {_load("dtype", "array", 56)}
  {_load("flags", "array", 64, "i32")}
  %rank.at = getelementptr i64, ptr %ranks, i64 %k
  %rank = load i64, ptr %rank.at
  %axes.64 = sext i32 %axes to i64
  %has.rank = icmp eq i64 %axes.64, %rank
  %is.float64 = icmp eq ptr %dtype, %float64
  %plain = and i32 %flags, %needed
  %is.plain = icmp eq i32 %plain, %needed
  %two = and i1 %has.rank, %is.float64
  %three = and i1 %two, %is.plain
  br i1 %three, label %axis, label %no
axis:
  %d = phi i64 [ 0, %look ], [ %d.next, %extent ]
  %through = icmp eq i64 %d, %rank
  br i1 %through, label %next, label %extent
extent:
  %d.next = add i64 %d, 1
  %want.at = getelementptr i64, ptr %wanted, i64 %d
  %want = load i64, ptr %want.at
  %have.at = getelementptr i64, ptr %shape, i64 %d
  %have = load i64, ptr %have.at
  %equal = icmp eq i64 %want, %have
  br i1 %equal, label %axis, label %no
next:
  {_load("numbers", "array", 16)}
  %to = getelementptr ptr, ptr %data, i64 %k
  store ptr %numbers, ptr %to
  %wanted.next = getelementptr i64, ptr %wanted, i64 %rank
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %count
  br i1 %more, label %each, label %yes
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


def _evaluate(most: int) -> str:
    """Call the inner loop and return the results; null and an exception if that fails.

    If ``%room`` is not null, the results are its arrays, whose data pointers end ``%data``; otherwise new arrays.
    """
    text = f"ptr %ndarray, i32 %axes, ptr %shape, i32 {_NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null"
    return f"""
define internal ptr @evaluate(ptr %gateway, ptr %record, ptr %data, ptr %room) #0 {{
entry:
  %results = alloca [{most} x ptr]
  {_load("ndarray", "gateway", 16)}
  {_load("new", "gateway", 32)}
  {_load("return", "gateway", 40)}
  {_word("inputs", 0)}
  {_word("outputs", 1)}
  {_word("loop", 3, "ptr")}
  {_word("container", 4, "ptr")}
  %states = getelementptr i64, ptr %record, i64 5
  {_word("extents.index", 6)}
  %extents = getelementptr i64, ptr %record, i64 %extents.index
  {_word("steps.index", 7)}
  %steps = getelementptr i64, ptr %record, i64 %steps.index
  %all.ranks = getelementptr i64, ptr %record, i64 8
  %ranks = getelementptr i64, ptr %all.ranks, i64 %inputs
  %targets = getelementptr ptr, ptr %data, i64 %inputs
  %fresh = icmp eq ptr %room, null
  br i1 %fresh, label %make, label %keep
keep:
  %g = phi i64 [ 0, %entry ], [ %g.next, %keep ]
  %given.at = getelementptr ptr, ptr %room, i64 %g
  %given = load ptr, ptr %given.at
  call void @Py_IncRef(ptr %given)
  %kept.at = getelementptr ptr, ptr %results, i64 %g
  store ptr %given, ptr %kept.at
  %g.next = add i64 %g, 1
  %more.given = icmp ult i64 %g.next, %outputs
  br i1 %more.given, label %keep, label %compute
make:
  %k = phi i64 [ 0, %entry ], [ %k.next, %made ]
  %shape = phi ptr [ %extents, %entry ], [ %shape.next, %made ]
  %rank.at = getelementptr i64, ptr %ranks, i64 %k
  %rank = load i64, ptr %rank.at
  %axes = trunc i64 %rank to i32
  %array = call ptr %new({text})
  %no.memory = icmp eq ptr %array, null
  br i1 %no.memory, label %lost, label %made
made:
  %result.at = getelementptr ptr, ptr %results, i64 %k
  store ptr %array, ptr %result.at
  {_load("numbers", "array", 16)}
  %target = getelementptr ptr, ptr %targets, i64 %k
  store ptr %numbers, ptr %target
  %shape.next = getelementptr i64, ptr %shape, i64 %rank
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %outputs
  br i1 %more, label %make, label %compute
compute:
  call void %loop(ptr %data, ptr %states, ptr %steps, ptr null)
  br i1 %fresh, label %hand, label %complete
hand:
  %r = phi i64 [ 0, %compute ], [ %r.next, %handed ]
  %own.at = getelementptr ptr, ptr %results, i64 %r
  %own = load ptr, ptr %own.at
  %returned = call ptr %return(ptr %own)
  store ptr %returned, ptr %own.at
  %no.scalar = icmp eq ptr %returned, null
  br i1 %no.scalar, label %lost, label %handed
handed:
  %r.next = add i64 %r, 1
  %more.results = icmp ult i64 %r.next, %outputs
  br i1 %more.results, label %hand, label %complete
complete:
  %bare = icmp eq ptr %container, null
  br i1 %bare, label %only, label %fill
only:
  %first = load ptr, ptr %results
  ret ptr %first
fill:
  %filled = call ptr @PyObject_Vectorcall(ptr %container, ptr %results, i64 %outputs, ptr null)
  br label %drop
lost:
  %held = phi i64 [ %k, %make ], [ %outputs, %hand ]
  br label %drop
drop:
  %answer = phi ptr [ %filled, %fill ], [ null, %lost ]
  %count = phi i64 [ %outputs, %fill ], [ %held, %lost ]
  br label %drop.each
drop.each:
  %i = phi i64 [ 0, %drop ], [ %i.next, %drop.one ]
  %done = icmp eq i64 %i, %count
  br i1 %done, label %end, label %drop.one
drop.one:
  %dropped.at = getelementptr ptr, ptr %results, i64 %i
  %dropped = load ptr, ptr %dropped.at
  call void @Py_DecRef(ptr %dropped)
  %i.next = add i64 %i, 1
  br label %drop.each
end:
  ret ptr %answer
}}
"""
