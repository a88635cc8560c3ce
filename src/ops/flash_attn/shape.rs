//! What a FLASH_ATTN_EXT node asks for, read once: lengths, heads, factors; and the refusals.

use anyhow::Result;

use crate::ggml::{Node, Tensor, Type};
use crate::ops::elem;

/// Lengths and factors of a node.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Elements of a query and of a key.
    pub dk: u32,
    /// Elements of a value and of a row of the result.
    pub dv: u32,
    /// Queries of a head.
    pub n_q: u32,
    /// Keys.
    pub n_kv: u32,
    /// Heads of the queries.
    pub n_head: u32,
    /// Heads that share both keys and values, one after the other.
    pub group: u32,
    /// Heads for each head of keys, and of values.
    pub ratios: [u32; 2],
    /// Independent batches.
    pub batch: u32,
    /// ggml's factors.
    pub scale: f32,
    /// A bound that scores approach; 0 without it.
    pub softcap: f32,
    /// ALiBi: heads with the first kind of slope, and the exponents of both kinds; exponents of 0 without it.
    pub alibi: (u32, [f32; 2]),
}

impl Shape {
    /// Reads the node, or says why it cannot be computed.
    pub fn new(node: &Node) -> Result<Self> {
        let (q, k, v) = (node.source(0)?, node.source(1)?, node.source(2)?);
        elem::need(q, Type::F32, "queries")?;
        elem::need(&node.dst, Type::F32, "a result")?;
        for (t, what) in [(q, "queries"), (k, "keys"), (v, "values"), (&node.dst, "a result")] {
            elem::need_rows(t, what)?;
        }
        for t in [k, v] {
            if !t.ty.is_float() && !t.ty.is_quant() {
                crate::unsupported!("keys or values of the type {}", t.ty);
            }
        }
        let (n_head, n_q, n_kv) = (q.ne[2], q.ne[1], k.ne[1]);
        let fits = k.ne[0] == q.ne[0]
            && v.ne[1] == n_kv
            && [k, v].iter().all(|t| t.ne[2] > 0 && n_head % t.ne[2] == 0 && t.ne[3] == q.ne[3])
            && node.dst.ne == [v.ne[0], n_head, n_q, q.ne[3]];
        if !fits {
            crate::unsupported!("queries {:?} with keys {:?} and values {:?}", q.ne, k.ne, v.ne);
        }
        if let Some(mask) = &node.src[3] {
            elem::need(mask, Type::F16, "a mask")?;
            elem::need_rows(mask, "a mask")?;
            if mask.ne[0] < n_kv || mask.ne[1] < n_q || n_kv > 0 && mask.is_empty() {
                crate::unsupported!("a mask of {:?} for {n_q} queries and {n_kv} keys", mask.ne);
            }
        }
        if let Some(sinks) = &node.src[4] {
            elem::need(sinks, Type::F32, "sinks")?;
            elem::need_rows(sinks, "sinks")?;
            if sinks.ne[0] < n_head {
                crate::unsupported!("{} sinks for {n_head} heads", sinks.ne[0]);
            }
        }
        let ratios = [k, v].map(|t| (n_head / t.ne[2]) as u32);
        let (scale, max_bias, softcap) = (node.params.f32(0), node.params.f32(1), node.params.f32(2));
        let below = 1u32 << (n_head as u32).ilog2();
        let alibi = if max_bias > 0.0 { [max_bias, max_bias / 2.0].map(|b| -b / below as f32) } else { [0.0; 2] };
        Ok(Self {
            dk: q.ne[0] as u32,
            dv: v.ne[0] as u32,
            n_q: n_q as u32,
            n_kv: n_kv as u32,
            n_head: n_head as u32,
            group: gcd(ratios[0], ratios[1]),
            ratios,
            batch: q.ne[3] as u32,
            scale: if softcap == 0.0 { scale } else { scale / softcap },
            softcap,
            alibi: (below, alibi),
        })
    }

    /// Rows of all heads and batches.
    pub fn rows(&self) -> u64 {
        u64::from(self.n_q) * u64::from(self.n_head) * u64::from(self.batch)
    }

    /// Groups of heads in all batches: what shares no keys.
    pub fn groups(&self) -> u64 {
        u64::from(self.n_head / self.group) * u64::from(self.batch)
    }

    /// Queries of the heads of one group: rows that share their keys.
    pub fn group_rows(&self) -> u32 {
        self.n_q * self.group
    }

    /// Keys and values to bind. Without any, the queries stand in for them: a binding cannot be empty.
    pub fn keys_and_values<'a>(&self, node: &'a Node) -> Result<(&'a Tensor, &'a Tensor)> {
        if self.n_kv == 0 { Ok((node.source(0)?, node.source(0)?)) } else { Ok((node.source(1)?, node.source(2)?)) }
    }

    /// The mask, if there is one and keys to mask.
    pub fn mask<'a>(&self, node: &'a Node) -> Option<&'a Tensor> {
        node.src[3].as_ref().filter(|_| self.n_kv > 0)
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
