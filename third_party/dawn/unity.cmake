# Unity builds: nine tenths of compiling Dawn is reading its headers, so sources of one target share a translation unit.
# Here is what cannot share one as it is.

function(keep_apart target dir)
    list(TRANSFORM ARGN PREPEND ${DAWN_TREE}/${dir}/)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# A name that another source has too, in an anonymous namespace or by an alias.
keep_apart(absl_strings third_party/abseil-cpp/absl/strings numbers.cc)
keep_apart(absl_time third_party/abseil-cpp/absl/time time.cc)
keep_apart(absl_time_zone third_party/abseil-cpp/absl/time/internal/cctz/src time_zone_posix.cc)
keep_apart(tint_lang_core_ir_transform src/tint/lang/core/ir/transform rename_conflicts.cc)
keep_apart(dawn_native_objects src/dawn/native
    vulkan/SharedFenceVk.cpp vulkan/SharedTextureMemoryVk.cpp vulkan/StreamImplVk.cpp)

# A specialisation, here mostly the type information of a base class, that other sources have asked for by then.
keep_apart(dawn_native_objects src/dawn/native CacheKey.cpp)
keep_apart(tint_lang_core_constant src/tint/lang/core/constant scalar.cc value.cc)
keep_apart(tint_lang_core_ir src/tint/lang/core/ir call.cc operand_instruction.cc terminator.cc value.cc)
keep_apart(tint_lang_core_type src/tint/lang/core/type
    abstract_numeric.cc numeric_scalar.cc texture.cc type.cc unique_node.cc)
keep_apart(tint_lang_wgsl_ast src/tint/lang/wgsl/ast literal_expression.cc node.cc statement.cc variable.cc)
keep_apart(tint_lang_wgsl_sem src/tint/lang/wgsl/sem
    call_target.cc expression.cc node.cc statement.cc value_expression.cc)

# Each pass of Tint has a `State` in an anonymous namespace: for each source it gets a name of its own. The two headers
# have one too, which must keep its name.
foreach(target tint_lang_core_ir_transform tint_lang_spirv_writer_raise)
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD_UNIQUE_ID STATE_OF_THIS_SOURCE
        UNITY_BUILD_CODE_BEFORE_INCLUDE
"#include \"src/tint/lang/core/intrinsic/table_data.h\"
#include \"src/tint/utils/diagnostic/formatter.h\"
#define State STATE_OF_THIS_SOURCE"
        UNITY_BUILD_CODE_AFTER_INCLUDE "#undef State")
endforeach()
