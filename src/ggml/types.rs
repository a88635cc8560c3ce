//! TABLE of element types: one line each. Everything that depends on a type reads this table.

use super::sys;

/// A ggml element type: an index into [`TABLE`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(u8);

/// What kind of type it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A float of one element.
    Float,
    /// An integer of one element.
    Int,
    /// Blocks of several elements.
    Quant,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// ggml's number.
    pub id: sys::ggml_type,
    /// ggml's name, which is also the shader's: `shaders/common/types/<name>.wgsl`.
    pub name: &'static str,
    /// Elements of a block.
    pub block: u32,
    /// Bytes of a block.
    pub bytes: u32,
    /// Kind.
    pub class: Class,
}

macro_rules! types {
    ($($konst:ident $id:ident $name:literal $block:literal $bytes:literal $class:ident;)*) => {
        /// Every type that a shader can decode.
        pub const TABLE: &[Info] = &[$(Info { id: sys::$id, name: $name, block: $block, bytes: $bytes, class: Class::$class }),*];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "ggml's names")]
        enum Index { $($konst),* }
        #[allow(missing_docs, reason = "ggml's names")]
        impl Type { $(pub const $konst: Self = Self(Index::$konst as u8);)* }
    };
}

types! {
    F32     GGML_TYPE_F32     "f32"       1   4 Float;
    F16     GGML_TYPE_F16     "f16"       1   2 Float;
    BF16    GGML_TYPE_BF16    "bf16"      1   2 Float;
    I8      GGML_TYPE_I8      "i8"        1   1 Int;
    I16     GGML_TYPE_I16     "i16"       1   2 Int;
    I32     GGML_TYPE_I32     "i32"       1   4 Int;
    I64     GGML_TYPE_I64     "i64"       1   8 Int;
    Q4_0    GGML_TYPE_Q4_0    "q4_0"     32  18 Quant;
    Q4_1    GGML_TYPE_Q4_1    "q4_1"     32  20 Quant;
    Q5_0    GGML_TYPE_Q5_0    "q5_0"     32  22 Quant;
    Q5_1    GGML_TYPE_Q5_1    "q5_1"     32  24 Quant;
    Q8_0    GGML_TYPE_Q8_0    "q8_0"     32  34 Quant;
    Q2_K    GGML_TYPE_Q2_K    "q2_K"    256  84 Quant;
    Q3_K    GGML_TYPE_Q3_K    "q3_K"    256 110 Quant;
    Q4_K    GGML_TYPE_Q4_K    "q4_K"    256 144 Quant;
    Q5_K    GGML_TYPE_Q5_K    "q5_K"    256 176 Quant;
    Q6_K    GGML_TYPE_Q6_K    "q6_K"    256 210 Quant;
    IQ4_NL  GGML_TYPE_IQ4_NL  "iq4_nl"   32  18 Quant;
    IQ4_XS  GGML_TYPE_IQ4_XS  "iq4_xs"  256 136 Quant;
    MXFP4   GGML_TYPE_MXFP4   "mxfp4"    32  17 Quant;
    NVFP4   GGML_TYPE_NVFP4   "nvfp4"    64  36 Quant;
    Q1_0    GGML_TYPE_Q1_0    "q1_0"    128  18 Quant;
    Q2_0    GGML_TYPE_Q2_0    "q2_0"     64  18 Quant;
    TQ1_0   GGML_TYPE_TQ1_0   "tq1_0"   256  54 Quant;
    TQ2_0   GGML_TYPE_TQ2_0   "tq2_0"   256  66 Quant;
    IQ1_S   GGML_TYPE_IQ1_S   "iq1_s"   256  50 Quant;
    IQ1_M   GGML_TYPE_IQ1_M   "iq1_m"   256  56 Quant;
    IQ2_XXS GGML_TYPE_IQ2_XXS "iq2_xxs" 256  66 Quant;
    IQ2_XS  GGML_TYPE_IQ2_XS  "iq2_xs"  256  74 Quant;
    IQ2_S   GGML_TYPE_IQ2_S   "iq2_s"   256  82 Quant;
    IQ3_XXS GGML_TYPE_IQ3_XXS "iq3_xxs" 256  98 Quant;
    IQ3_S   GGML_TYPE_IQ3_S   "iq3_s"   256 110 Quant;
}

impl Type {
    /// The type with ggml's number `id`, if shaders know it.
    pub fn from_ggml(id: sys::ggml_type) -> Option<Self> {
        TABLE.iter().position(|t| t.id == id).map(|i| Self(i as u8))
    }

    /// All types, in the table's order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TABLE.len() as u8).map(Self)
    }

    /// Its line of the table.
    pub fn info(self) -> &'static Info {
        &TABLE[self.0 as usize]
    }

    /// ggml's name in lower case.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Elements of a block; 1 if it has none.
    pub fn block(self) -> u32 {
        self.info().block
    }

    /// Bytes of a block.
    pub fn bytes(self) -> u32 {
        self.info().bytes
    }

    /// Whether it packs several elements into a block.
    pub fn is_quant(self) -> bool {
        self.info().class == Class::Quant
    }

    /// Whether its values are points of a grid; see `ggml/grids.rs`.
    pub fn has_grid(self) -> bool {
        matches!(self, Self::IQ1_S | Self::IQ1_M | Self::IQ2_XXS | Self::IQ2_XS | Self::IQ2_S | Self::IQ3_XXS | Self::IQ3_S)
    }

    /// Whether shaders can encode it: the quantised types that the CPU backend stores.
    pub fn is_encoded(self) -> bool {
        self.is_quant() && !self.has_grid()
    }

    /// Whether it is a float of one element.
    pub fn is_float(self) -> bool {
        self.info().class == Class::Float
    }
}

impl std::fmt::Debug for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
