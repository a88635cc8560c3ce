// What bindgen reads: the parts of ggml that a backend and its tests use. All of it is C.
#include "ggml.h"
#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "gguf.h"
// Not installed by ggml: the vtables of a backend, and struct ggml_cgraph.
#include "ggml-backend-impl.h"
#include "ggml-impl.h"
