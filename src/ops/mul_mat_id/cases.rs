//! Test graphs of MUL_MAT_ID: types, tokens on both sides of each kernel's bound, odd sizes, views.

use crate::ggml::Type;
use crate::ggml::make::{Fill, Make, T};
use crate::ops::case::{Case, NMSE_MUL_MAT};

/// Shapes: experts, slots of a token, columns of src1 for a token, rows, tokens, length of a row.
#[derive(Debug, Clone, Copy)]
struct Shape {
    experts: i64,
    slots: i64,
    columns: i64,
    m: i64,
    tokens: i64,
    k: i64,
}

/// The first `slots` of a distinct order of all experts, as a router gives them: a view with gaps.
fn some_ids<'a>(g: &'a Make, s: &Shape) -> T<'a> {
    let ids = g.filled(Type::I32, [s.experts, s.tokens, 1, 1], Fill::Distinct(s.experts));
    let nb = g.nb(ids);
    g.view(ids, [s.slots, s.tokens, 1, 1], [nb[1], nb[2], nb[3]], 0)
}

fn plain(a: Type, b: Type, s: Shape) -> Case {
    Case::new(format!("mul_mat_id {a} x {b} {s:?}"), move |g| {
        g.mul_mat_id(g.weight(a, [s.k, s.m, s.experts, 1]), g.input(b, [s.k, s.columns, s.tokens, 1]), some_ids(g, &s))
    })
    .tolerance(NMSE_MUL_MAT)
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let shape = Shape { experts: 4, slots: 2, columns: 2, m: 33, tokens: 1, k: 512 };
    for ty in Type::all().filter(|t| t.is_quant() || t.is_float()) {
        for tokens in [1, 19] {
            cases.push(plain(ty, Type::F32, Shape { tokens, ..shape }));
        }
    }
    for tokens in [1, 5, 40] {
        // One column for all slots, one for each second slot.
        cases.push(plain(Type::Q4_0, Type::F32, Shape { columns: 1, tokens, ..shape }));
        cases.push(plain(Type::F16, Type::F32, Shape { slots: 4, tokens, ..shape }));
        // No length is a multiple of anything.
        cases.push(plain(Type::F32, Type::F32, Shape { experts: 5, slots: 3, columns: 3, m: 67, tokens, k: 129 }));
        cases.push(plain(Type::F16, Type::F32, Shape { experts: 1, slots: 1, columns: 1, m: 1, tokens, k: 6 }));
    }
    // Tiles that are full, and experts without a token.
    cases.push(plain(Type::Q8_0, Type::F32, Shape { tokens: 300, m: 130, k: 64, ..shape }));
    cases.push(
        Case::new("mul_mat_id, all tokens to one of 70 experts", |g| {
            let ids = g.filled(Type::I32, [2, 400, 1, 1], Fill::Ints(vec![68, 68, 68, 68, 68, 3]));
            g.mul_mat_id(g.weight(Type::F16, [32, 40, 70, 1]), g.input(Type::F32, [32, 2, 400, 1]), ids)
        })
        .tolerance(NMSE_MUL_MAT),
    );
    cases.push(plain(Type::F16, Type::F32, Shape { experts: 300, slots: 8, columns: 1, m: 16, tokens: 320, k: 32 }));
    cases.push(plain(Type::F16, Type::F32, Shape { experts: 2, slots: 1, columns: 1, m: 3, tokens: 70_000, k: 32 }));
    // Experts that together are larger than a binding of 128 MiB.
    for tokens in [1, 24] {
        cases.push(plain(Type::F32, Type::F32, Shape { experts: 5, m: 2000, tokens, k: 4096, ..shape }));
    }
    for tokens in [2, 50] {
        cases.push(
            Case::new(format!("mul_mat_id of permuted columns, {tokens} tokens"), move |g| {
                let s = Shape { tokens, ..shape };
                let b = g.permute(g.input(Type::F32, [64, tokens, 2, 1]), [0, 2, 1, 3]);
                g.mul_mat_id(g.weight(Type::Q5_0, [64, 33, 4, 1]), b, some_ids(g, &s))
            })
            .tolerance(NMSE_MUL_MAT),
        );
        cases.push(
            Case::new(format!("mul_mat_id of padded views, {tokens} tokens"), move |g| {
                let s = Shape { tokens, ..shape };
                let whole = g.weight(Type::Q4_0, [96, 40, 5, 1]);
                let nb = g.nb(whole);
                let a = g.view(whole, [96, 31, 4, 1], [nb[1], nb[2], nb[3]], 5 * nb[1] + nb[2]);
                let columns = g.input(Type::F32, [101, 2, tokens, 1]);
                let nb = g.nb(columns);
                let b = g.view(columns, [96, 2, tokens, 1], [nb[1], nb[2], nb[3]], 4);
                g.mul_mat_id(a, b, some_ids(g, &s))
            })
            .tolerance(NMSE_MUL_MAT),
        );
        cases.push(
            Case::new(format!("mul_mat_id of transposed ids, {tokens} tokens"), move |g| {
                let ids = g.filled(Type::I32, [tokens, 2, 1, 1], Fill::Ints(vec![3, 0, 2, 1, 1]));
                let ids = g.permute(ids, [1, 0, 2, 3]);
                g.mul_mat_id(g.weight(Type::F16, [64, 33, 4, 1]), g.input(Type::F32, [64, 1, tokens, 1]), ids)
            })
            .tolerance(NMSE_MUL_MAT),
        );
    }
    cases
}
