"""Arrow streams made by hand through the C data interface, so that any field of any struct may be wrong."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p

import pyarrow as pa

NAME = b"arrow_array_stream"
FAILURE = c_char_p(b"the producer failed")


class Array(ctypes.Structure):
    """`struct ArrowArray`."""


Array._fields_ = [
    *((name, c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


class Schema(ctypes.Structure):
    """`struct ArrowSchema`."""


Schema._fields_ = [
    *((name, c_char_p) for name in ("format", "name")),
    ("metadata", c_void_p),
    *((name, c_int64) for name in ("flags", "n_children")),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]

Get = CFUNCTYPE(c_int, c_void_p, c_void_p)
Message = CFUNCTYPE(c_void_p, c_void_p)


class Stream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


Release = CFUNCTYPE(None, POINTER(Stream))
Stream._fields_ = [
    ("get_schema", Get),
    ("get_next", Get),
    ("get_last_error", Message),
    ("release", Release),
    ("private_data", c_void_p),
]


class Frame:
    """A record batch as a stream of one array; `array` and `schema` may be changed before it is read."""

    def __init__(self, columns):
        batch = pa.record_batch(columns)
        self.array, self.schema = Array(), Schema()
        batch._export_to_c(ctypes.addressof(self.array), ctypes.addressof(self.schema))
        self.releases, self.error = 0, 0
        self.stream = Stream(Get(self.get_schema), Get(self.get_next), Message(self.message), Release(self.release))

    def column(self, k):
        return self.array.children[k].contents

    def kind(self, k):
        return self.schema.children[k].contents

    def get_schema(self, _, place):
        return self.move(self.schema, place)

    def get_next(self, _, place):
        return self.error or self.move(self.array, place)

    def move(self, struct, place):
        """Hand a struct over; what stays is marked as released, which is also how a stream ends."""
        ctypes.memmove(place, ctypes.addressof(struct), ctypes.sizeof(struct))
        struct.release = None
        return 0

    def message(self, _):
        return ctypes.cast(FAILURE, c_void_p).value

    def release(self, stream):
        self.releases += 1
        ctypes.memset(ctypes.addressof(stream.contents) + Stream.release.offset, 0, ctypes.sizeof(c_void_p))

    def __arrow_c_stream__(self, requested_schema=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
        return new(ctypes.addressof(self.stream), NAME, None)
