//! Graphs that FLASH_ATTN_EXT is tested and measured on.

use crate::ggml::Type;
use crate::ggml::make::{Fill, Make, T};
use crate::ops::case::{Case, NMSE_MUL_MAT};

/// Which keys a query sees.
#[derive(Debug, Clone, Copy)]
enum Seen {
    /// All; no mask.
    All,
    /// None of the first 70.
    Late,
    /// Only the last.
    Last,
    /// Every other block of 32.
    Blocks,
    /// Those before the query's place at the end.
    Causal,
    /// As `Late`, but the second query sees none at all.
    NoneAtAll,
}

impl Seen {
    fn sees(self, key: i64, query: i64, n_kv: i64, n_q: i64) -> bool {
        match self {
            Self::All => true,
            Self::Late => key >= 70,
            Self::Last => key == n_kv - 1,
            Self::Blocks => key / 32 % 2 == 1,
            Self::Causal => key - n_kv <= query - n_q,
            Self::NoneAtAll => key >= 70 && query != 1,
        }
    }

    fn mask(self, m: &Make, n_kv: i64, n_q: i64) -> Option<T<'_>> {
        if matches!(self, Self::All) {
            return None;
        }
        // Visible keys have biases of their own.
        let value = |key: i64, query: i64| if self.sees(key, query, n_kv, n_q) { (key % 5) as f32 * -0.25 } else { f32::NEG_INFINITY };
        let values = (0..n_q).flat_map(|query| (0..n_kv).map(move |key| value(key, query))).collect();
        Some(m.filled(Type::F16, [n_kv, n_q, 1, 1], Fill::Values(values)))
    }
}

/// One attention.
#[derive(Debug, Clone, Copy)]
struct Attention {
    k: Type,
    v: Type,
    /// Lengths of keys and values.
    d: [i64; 2],
    /// Heads of queries, keys and values.
    heads: [i64; 3],
    n_q: i64,
    n_kv: i64,
    batch: i64,
    seen: Seen,
    sinks: bool,
    max_bias: f32,
    softcap: f32,
}

const PLAIN: Attention = Attention {
    k: Type::F16,
    v: Type::F16,
    d: [64, 64],
    heads: [8, 2, 2],
    n_q: 1,
    n_kv: 96,
    batch: 1,
    seen: Seen::Causal,
    sinks: false,
    max_bias: 0.0,
    softcap: 0.0,
};

impl Attention {
    fn case(self) -> Case {
        let name = format!(
            "flash_attn_ext {} {} d {:?} heads {:?} n_q {} n_kv {} batch {} {:?} sinks {} bias {} softcap {}",
            self.k, self.v, self.d, self.heads, self.n_q, self.n_kv, self.batch, self.seen, self.sinks, self.max_bias, self.softcap
        );
        Case::new(name, move |m| {
            // As llama.cpp lays them out: a query's heads lie side by side, and so do those of a key.
            let laid_out = |ty, d, n, heads| m.permute(m.input(ty, [d, heads, n, self.batch]), [0, 2, 1, 3]);
            let q = laid_out(Type::F32, self.d[0], self.n_q, self.heads[0]);
            let k = laid_out(self.k, self.d[0], self.n_kv, self.heads[1]);
            let v = laid_out(self.v, self.d[1], self.n_kv, self.heads[2]);
            self.attend(m, q, k, v)
        })
        .tolerance(NMSE_MUL_MAT)
    }

    fn attend<'a>(&self, m: &'a Make, q: T<'a>, k: T<'a>, v: T<'a>) -> T<'a> {
        let mask = self.seen.mask(m, self.n_kv, self.n_q);
        let out = m.flash_attn_ext(q, k, v, mask, 1.0 / (self.d[0] as f32).sqrt(), self.max_bias, self.softcap);
        if self.sinks { m.flash_attn_ext_add_sinks(out, m.input(Type::F32, [self.heads[0], 1, 1, 1])) } else { out }
    }
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let seen = [Seen::Late, Seen::Last, Seen::Blocks, Seen::All, Seen::Causal];
    for d in [64, 128] {
        for n_q in [1, 7, 33] {
            for n_kv in [96, 257, 1024] {
                let i = cases.len();
                let seen = seen[i % seen.len()];
                let max_bias = if i % 4 == 2 && !matches!(seen, Seen::All) { 8.0 } else { 0.0 };
                let softcap = if i % 3 == 1 { 10.0 } else { 0.0 };
                cases.push(Attention { d: [d, d], n_q, n_kv, seen, sinks: i % 2 == 1, max_bias, softcap, ..PLAIN }.case());
            }
        }
    }
    for n_q in [2, 40] {
        cases.push(Attention { n_q, n_kv: 300, seen: Seen::NoneAtAll, ..PLAIN }.case());
        cases.push(Attention { n_q, n_kv: 300, seen: Seen::NoneAtAll, sinks: true, ..PLAIN }.case());
        for ty in Type::all().filter(|t| t.is_float() || t.is_quant()) {
            // No longer than a block needs: software drivers take a minute to compile the kernel for 256.
            let d = i64::from(ty.block()).max(64);
            cases.push(Attention { k: ty, v: ty, d: [d, d], heads: [2, 1, 1], n_q, ..PLAIN }.case());
        }
        for (k, v) in [(Type::Q8_0, Type::F16), (Type::F16, Type::Q4_0), (Type::BF16, Type::F32)] {
            cases.push(Attention { k, v, n_q, ..PLAIN }.case());
        }
        for d in [[40, 40], [65, 67], [72, 72], [80, 80], [192, 128], [320, 256], [576, 512], [1040, 1040]] {
            cases.push(Attention { d, heads: [4, 2, 2], n_q, n_kv: 70, ..PLAIN }.case());
        }
        // Heads in other ratios, and more of one than of the other.
        cases.push(Attention { heads: [6, 1, 1], n_q, ..PLAIN }.case());
        cases.push(Attention { heads: [12, 4, 2], n_q, ..PLAIN }.case());
        cases.push(Attention { heads: [12, 2, 6], n_q, batch: 3, max_bias: 8.0, ..PLAIN }.case());
        cases.push(
            Case::new(format!("flash_attn_ext with values that are a view of the keys, n_q {n_q}"), move |m| {
                let k = m.input(Type::F16, [576, 130, 1, 1]);
                let nb = m.nb(k);
                let v = m.view(k, [512, 130, 1, 1], [nb[1], nb[2], nb[3]], 0);
                let a = Attention { d: [576, 512], heads: [16, 1, 1], n_q, n_kv: 130, ..PLAIN };
                a.attend(m, m.input(Type::F32, [576, n_q, 16, 1]), k, v)
            })
            .tolerance(NMSE_MUL_MAT),
        );
        cases.push(
            Case::new(format!("flash_attn_ext of views in a larger cache, masks for each batch, n_q {n_q}"), move |m| {
                let cache = |ty| m.input(ty, [64 * 2, 200, 1, 2]);
                let part = |c| m.view(c, [64, 150, 2, 2], [m.nb(c)[1], m.nb(c)[0] * 64, m.nb(c)[3]], 3 * m.nb(c)[1]);
                let mask = m.filled(Type::F16, [150, n_q, 4, 2], Fill::Mask);
                let (k, v) = (part(cache(Type::F16)), part(cache(Type::F16)));
                m.flash_attn_ext(m.input(Type::F32, [64, n_q, 8, 2]), k, v, Some(mask), 0.125, 0.0, 0.0)
            })
            .tolerance(NMSE_MUL_MAT),
        );
    }
    cases
}
