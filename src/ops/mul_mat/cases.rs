//! Test graphs of MUL_MAT: types, column counts on both sides of each kernel's bound, odd sizes, batches, views.

use crate::ggml::Type;
use crate::ops::case::{Case, NMSE_MUL_MAT};

fn plain(a: Type, b: Type, [m, n, k]: [i64; 3]) -> Case {
    let name = format!("mul_mat {a} x {b} m {m} n {n} k {k}");
    Case::new(name, move |g| g.mul_mat(g.weight(a, [k, m, 1, 1]), g.input(b, [k, n, 1, 1]))).tolerance(NMSE_MUL_MAT)
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for ty in Type::all().filter(|t| t.is_quant() || t.is_float()) {
        for n in [1, 3, 9] {
            cases.push(plain(ty, Type::F32, [33, n, 512]));
        }
    }
    for n in [1, 8, 16, 65] {
        cases.push(plain(Type::F16, Type::F16, [65, n, 64]));
        // No length is a multiple of anything.
        cases.push(plain(Type::F32, Type::F32, [67, n, 129]));
    }
    for n in [1, 2, 33] {
        cases.push(
            Case::new(format!("mul_mat of batches with repeats, n {n}"), move |g| {
                g.mul_mat(g.input(Type::F16, [64, 17, 2, 3]), g.input(Type::F32, [64, n, 8, 3]))
            })
            .tolerance(NMSE_MUL_MAT),
        );
        cases.push(
            Case::new(format!("mul_mat of permuted tensors, n {n}"), move |g| {
                let a = g.permute(g.input(Type::F16, [64, 4, 16, 1]), [0, 2, 1, 3]);
                let b = g.permute(g.input(Type::F32, [64, 4, n, 1]), [0, 2, 1, 3]);
                g.mul_mat(a, b)
            })
            .tolerance(NMSE_MUL_MAT),
        );
        cases.push(
            Case::new(format!("mul_mat of a padded view, n {n}"), move |g| {
                let whole = g.weight(Type::F16, [160, 40, 1, 1]);
                let nb = g.nb(whole);
                let a = g.view(whole, [128, 30, 1, 1], [nb[1], nb[2], nb[3]], 3 * nb[1]);
                g.mul_mat(a, g.input(Type::F32, [128, n, 1, 1]))
            })
            .tolerance(NMSE_MUL_MAT),
        );
        cases.push(
            Case::new(format!("mul_mat of rows that begin at 54-byte steps, n {n}"), move |g| {
                let whole = g.weight(Type::Q4_0, [96, 40, 1, 1]);
                let nb = g.nb(whole);
                let a = g.view(whole, [96, 31, 1, 1], [nb[1], nb[2], nb[3]], 5 * nb[1]);
                g.mul_mat(a, g.input(Type::F32, [96, n, 1, 1]))
            })
            .tolerance(NMSE_MUL_MAT),
        );
    }
    for ty in [Type::Q4_K, Type::IQ2_XXS] {
        cases.push(
            Case::new(format!("three mul_mat {ty} of one source"), move |g| {
                let weights = [64, 32, 40].map(|m| g.weight(ty, [256, m, 1, 1]));
                let x = g.input(Type::F32, [256, 1, 1, 1]);
                g.also(g.mul_mat(weights[0], x));
                g.also(g.mul_mat(weights[1], x));
                g.mul_mat(weights[2], x)
            })
            .tolerance(NMSE_MUL_MAT),
        );
    }
    cases.push(
        Case::new("mul_mat of 65537 batches", |g| g.mul_mat(g.input(Type::F16, [32, 2, 1, 1]), g.input(Type::F32, [32, 1, 65_537, 1])))
            .tolerance(NMSE_MUL_MAT),
    );
    cases
}
