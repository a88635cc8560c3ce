//! Whether the ggml that loads this module is one that it was built for: the version of the interface alone does not tell.

use std::ffi::CStr;

use anyhow::{Result, bail, ensure};

use crate::ggml::graph::Graph;
use crate::ggml::types::Type;
use crate::ggml::{make::Make, names, sys, types};

/// Compares, through ggml's own functions, what this crate took from its headers.
pub fn check() -> Result<()> {
    // SAFETY: plain queries.
    let overhead = unsafe { sys::ggml_tensor_overhead() };
    // ggml's object header (offset, size, next, type, padding) is private to it: 32 bytes.
    let expected = size_of::<sys::ggml_tensor>() + 32;
    ensure!(overhead == expected, "a tensor takes {overhead} bytes there ({expected} were expected)");
    for line in types::TABLE {
        // SAFETY: numbers below the count that the headers gave; ggml's table is at least that long if the sizes above agree.
        let (block, bytes) = unsafe { (sys::ggml_blck_size(line.id), sys::ggml_type_size(line.id)) };
        let name = crate::ggml::tensor::type_name(line.id);
        ensure!(
            name == line.name && block == i64::from(line.block) && bytes == line.bytes as usize,
            "type {} is {name} there, {block} elements in {bytes} bytes ({} with {} in {} was expected)",
            line.id,
            line.name,
            line.block,
            line.bytes
        );
    }
    for &(id, expected) in names::OPS {
        let name = crate::ggml::tensor::op_name(id);
        ensure!(name == expected, "op {id} is {name} there ({expected} was expected)");
    }
    for (id, expected) in names::UNARY {
        // SAFETY: a number below the count that the headers gave.
        compare("unary op", *id, unsafe { sys::ggml_unary_op_name(*id) }, expected)?;
    }
    for (id, expected) in names::GLU {
        // SAFETY: as above.
        compare("GLU op", *id, unsafe { sys::ggml_glu_op_name(*id) }, expected)?;
    }
    graphs()
}

fn compare(what: &str, id: u32, name: *const std::ffi::c_char, expected: &str) -> Result<()> {
    // SAFETY: ggml's names are static strings.
    let name = if name.is_null() { "" } else { unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default() };
    ensure!(name == expected, "{what} {id} is {name} there ({expected} was expected)");
    Ok(())
}

/// Builds a graph and reads it back: nodes and use counts lie where the headers say.
fn graphs() -> Result<()> {
    let Some(make) = Make::new() else { bail!("ggml_init gave no context") };
    let a = make.input(Type::F32, [4, 1, 1, 1]);
    let b = make.add(a, a);
    let c = make.mul(b, b);
    // SAFETY: context and tensor are live; the graph lies in the context.
    let graph = unsafe {
        let graph = sys::ggml_new_graph(make.context());
        sys::ggml_build_forward_expand(graph, c.raw());
        graph
    };
    // SAFETY: as above.
    let (count, first) = unsafe { (sys::ggml_graph_n_nodes(graph), sys::ggml_graph_node(graph, 0)) };
    // SAFETY: a live graph; its first words are what is being checked.
    let Some(seen) = (unsafe { Graph::new(graph) }) else { bail!("ggml_new_graph gave no graph") };
    ensure!(count == 2 && seen.len() == 2, "a graph of 2 nodes reads as {} nodes", seen.len());
    ensure!(first == b.raw() && seen.node(0)?.dst.id == b.raw() as usize, "a graph's nodes lie elsewhere");
    ensure!(seen.uses(0) == Some(2) && seen.uses(1) == Some(0), "a graph's use counts lie elsewhere");
    Ok(())
}
