//! From tensors to bindings, for every op: alignment, sharing of buffers, overlaps.
//!
//! WebGPU forbids one buffer as `read` and `read_write` in one dispatch, and overlapping ranges where one is writable. So:
//! a source in another buffer than the outputs is `read`; one that shares a buffer with an output is `read_write`; ranges that
//! overlap become one binding under one name (an alias: the shader's text then uses the other name); and a source that the
//! kernel could read after writing over it is copied to scratch memory first.

use anyhow::{Context, Result};

use super::grid;
use super::plan::{GRIDS, Planner, Range};
use crate::error::Error;
use crate::ggml::{Tensor, Type};
use crate::shader::{Access, Variant, View, params};

/// What a kernel does with an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Reads anywhere.
    Read,
    /// Each invocation reads only the elements at the indices that it will write itself, before it writes them.
    Elementwise,
    Write,
}

/// An operand of a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Operand<'a> {
    name: &'static str,
    tensor: Option<&'a Tensor>,
    /// The type that its bytes are decoded as.
    ty: Option<Type>,
    start: u64,
    bytes: u64,
    /// The WGSL type of the array's elements; equal types may share a binding.
    word: &'static str,
    role: Role,
}

/// A source, read as an array of `word`.
pub fn read<'a>(name: &'static str, tensor: &'a Tensor, word: &'static str) -> Operand<'a> {
    Operand { name, tensor: Some(tensor), ty: Some(tensor.ty), start: tensor.data, bytes: tensor.span(), word, role: Role::Read }
}

/// A source of which each invocation reads only the elements at the indices of the output that it then writes, so that it may be
/// the output itself.
pub fn read_elementwise<'a>(name: &'static str, tensor: &'a Tensor, word: &'static str) -> Operand<'a> {
    Operand { role: Role::Elementwise, ..read(name, tensor, word) }
}

/// An output (which the kernel may also read).
pub fn write<'a>(name: &'static str, tensor: &'a Tensor, word: &'static str) -> Operand<'a> {
    Operand { role: Role::Write, ..read(name, tensor, word) }
}

/// A range of memory that a kernel reads, such as scratch memory that an earlier step wrote.
pub fn read_bytes(name: &'static str, start: u64, bytes: u64, word: &'static str) -> Operand<'static> {
    Operand { name, tensor: None, ty: None, start, bytes, word, role: Role::Read }
}

/// A range of memory that a kernel writes, such as scratch memory.
pub fn write_bytes(name: &'static str, start: u64, bytes: u64, word: &'static str) -> Operand<'static> {
    Operand { role: Role::Write, ..read_bytes(name, start, bytes, word) }
}

impl Operand<'_> {
    /// A range of memory whose bytes are decoded as a type.
    pub fn of_type(self, ty: Type) -> Self {
        Self { ty: Some(ty), ..self }
    }
}

/// Where the operands of a kernel are bound.
#[derive(Debug, Clone, Default)]
pub struct Bound {
    /// Name, access and range, in the order of the binding numbers.
    pub(super) bindings: Vec<(&'static str, Access, Range)>,
    /// Names that stand for another binding.
    pub(super) aliases: Vec<(&'static str, &'static str)>,
    /// Byte offset of each operand in its binding.
    offsets: Vec<(&'static str, u64)>,
}

impl Bound {
    /// Byte offset of operand `name` in its binding.
    pub fn offset(&self, name: &str) -> Result<u32> {
        let offset = self.offsets.iter().find(|o| o.0 == name).with_context(|| format!("no operand {name}"))?.1;
        u32::try_from(offset).map_err(|_| Error::Unsupported(format!("{name} begins {offset} bytes into its binding")).into())
    }

    /// Offset and strides of operand `name`, whose tensor is `tensor`.
    pub fn view(&self, name: &str, tensor: &Tensor) -> Result<View> {
        let mut nb = [0; 4];
        for (d, own) in nb.iter_mut().enumerate() {
            // A dimension of one element is never stepped along, so its stride may be anything.
            if tensor.ne[d] > 1 || d == 0 {
                *own = u32::try_from(tensor.nb[d])
                    .map_err(|_| Error::Unsupported(format!("{name} has a stride of {} bytes (the limit is 4 GiB)", tensor.nb[d])))?;
            }
        }
        Ok(View { offset: self.offset(name)?, nb })
    }
}

/// Finds bindings for the operands, and plans the copies that overlaps need.
pub(super) fn resolve(planner: &mut Planner<'_>, operands: &[Operand<'_>]) -> Result<Bound> {
    let mut operands = operands.to_vec();
    for o in &mut operands {
        o.bytes = o.bytes.max(4);
    }
    move_hazards_to_scratch(planner, &mut operands)?;

    let mut bound = Bound::default();
    // Written operands first: they name the binding that others become part of.
    let mut order: Vec<usize> = (0..operands.len()).collect();
    order.sort_by_key(|&i| operands[i].role != Role::Write);
    // (index of the leading operand, range, word)
    let mut clusters: Vec<(usize, Range, bool)> = Vec::new();
    for &i in &order {
        let range = aligned(planner, &operands[i])?;
        let shared = shares_written_buffer(planner, &operands, i);
        let joined = shared.then(|| clusters.iter().position(|c| c.2 && overlap(c.1, range))).flatten();
        match joined {
            Some(c) => {
                let lead = &operands[clusters[c].0];
                if lead.word != operands[i].word {
                    return Err(Error::Unsupported(format!(
                        "{} and {} overlap as {} and {}",
                        operands[i].name, lead.name, operands[i].word, lead.word
                    ))
                    .into());
                }
                let start = clusters[c].1.start.min(range.start);
                let end = (clusters[c].1.start + clusters[c].1.size).max(range.start + range.size);
                clusters[c].1 = Range { start, size: end - start };
                bound.aliases.push((operands[i].name, operands[clusters[c].0].name));
            }
            None => clusters.push((i, range, shared)),
        }
    }
    // A cluster that grew may now touch another one.
    merge(&mut clusters, &operands, &mut bound.aliases);

    for &(i, range, shared) in &clusters {
        if range.size > planner.caps().max_binding {
            return Err(Error::Unsupported(format!(
                "{} spans {} bytes (the largest binding is {})",
                operands[i].name,
                range.size,
                planner.caps().max_binding
            ))
            .into());
        }
        let access = if shared { Access::ReadWrite } else { Access::Read };
        bound.bindings.push((operands[i].name, access, range));
    }
    // What decodes such a type reads its grid.
    if operands.iter().any(|o| o.ty.is_some_and(Type::has_grid)) {
        bound.bindings.push(("grids", Access::Read, Range { start: GRIDS.start, size: GRIDS.end - GRIDS.start }));
    }
    for o in &operands {
        let lead = bound.aliases.iter().find(|a| a.0 == o.name).map_or(o.name, |a| a.1);
        let start = bound.bindings.iter().find(|b| b.0 == lead).map_or(o.start, |b| b.2.start);
        bound.offsets.push((o.name, o.start - start));
    }
    Ok(bound)
}

/// Copies each source that the kernel might read after it wrote there, or that cannot share a binding with what it overlaps.
fn move_hazards_to_scratch(planner: &mut Planner<'_>, operands: &mut [Operand<'_>]) -> Result<()> {
    for i in 0..operands.len() {
        if operands[i].role == Role::Write || !shares_written_buffer(planner, operands, i) {
            continue;
        }
        let mine = aligned(planner, &operands[i])?;
        let mut hazard = false;
        for (j, other) in operands.iter().enumerate() {
            if i == j || !overlap(mine, aligned(planner, other)?) {
                continue;
            }
            // Two sources that share bytes but not a word type: the later one moves.
            hazard |= other.word != operands[i].word && (other.role == Role::Write || j < i);
            hazard |= other.role == Role::Write && touches(&operands[i], other) && !in_place(&operands[i], other);
        }
        if hazard {
            let to = planner.scratch(mine.size);
            copy(planner, mine, to)?;
            let o = &mut operands[i];
            o.start = to + (o.start - mine.start);
            o.role = Role::Read;
        }
    }
    Ok(())
}

/// Plans a copy of a range, word by word.
fn copy(planner: &mut Planner<'_>, from: Range, to: u64) -> Result<()> {
    const SIZE: u32 = 256;
    let bound = Bound {
        bindings: vec![("src", Access::Read, from), ("dst", Access::ReadWrite, Range { start: to, size: from.size })],
        ..Bound::default()
    };
    let words = (from.size / 4) as u32;
    planner.dispatch(
        Variant::new("copy_words").constant("wg_size", SIZE),
        &bound,
        &params::copy_words::Params { words },
        grid::groups(u64::from(words), SIZE),
    )
}

/// Whether the operand lies in a buffer that the kernel writes.
fn shares_written_buffer(planner: &Planner<'_>, operands: &[Operand<'_>], i: usize) -> bool {
    let space = planner.space(operands[i].start);
    operands.iter().any(|o| o.role == Role::Write && planner.space(o.start) == space)
}

/// The binding for an operand: from the aligned address below it to the end, in whole words.
fn aligned(planner: &Planner<'_>, operand: &Operand<'_>) -> Result<Range> {
    let space = planner
        .space(operand.start)
        .ok_or_else(|| Error::Unsupported(format!("{} lies in a buffer that is not this device's", operand.name)))?;
    let offset = operand.start - space.start;
    let first = offset - offset % u64::from(planner.caps().offset_alignment);
    // Whole vectors: buffers end at a multiple of 16 bytes.
    let end = (offset + operand.bytes).next_multiple_of(16);
    if end > space.end - space.start {
        return Err(Error::Unsupported(format!("{} ends {} bytes behind its buffer", operand.name, end - (space.end - space.start))).into());
    }
    Ok(Range { start: space.start + first, size: end - first })
}

fn overlap(a: Range, b: Range) -> bool {
    a.start < b.start + b.size && b.start < a.start + a.size
}

/// Whether the operands' own bytes overlap, not only their aligned ranges.
fn touches(a: &Operand<'_>, b: &Operand<'_>) -> bool {
    a.start < b.start + b.bytes && b.start < a.start + a.bytes
}

/// Whether a source may be the output itself: read element by element, and the same elements.
fn in_place(source: &Operand<'_>, output: &Operand<'_>) -> bool {
    source.role == Role::Elementwise
        && match (source.tensor, output.tensor) {
            (Some(a), Some(b)) => a.same_bytes(b),
            _ => false,
        }
}

/// Joins clusters that overlap, until none does.
fn merge(clusters: &mut Vec<(usize, Range, bool)>, operands: &[Operand<'_>], aliases: &mut Vec<(&'static str, &'static str)>) {
    loop {
        let mut found = None;
        for a in 0..clusters.len() {
            for b in a + 1..clusters.len() {
                if clusters[a].2 && clusters[b].2 && overlap(clusters[a].1, clusters[b].1) {
                    found = Some((a, b));
                }
            }
        }
        let Some((a, b)) = found else { return };
        let (gone, range, _) = clusters.remove(b);
        let start = clusters[a].1.start.min(range.start);
        let end = (clusters[a].1.start + clusters[a].1.size).max(range.start + range.size);
        clusters[a].1 = Range { start, size: end - start };
        let (from, to) = (operands[gone].name, operands[clusters[a].0].name);
        for alias in aliases.iter_mut().filter(|alias| alias.1 == from) {
            alias.1 = to;
        }
        aliases.push((from, to));
    }
}
