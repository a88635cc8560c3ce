//! Graphs: nodes in order, how often each is used, and whether a graph is the same as an earlier one.

use super::sys;
use super::tensor::{self, Node};

/// A graph that ggml hands us. It lives as long as the call that brought it.
#[derive(Clone, Copy)]
pub struct Graph<'a> {
    raw: &'a sys::ggml_cgraph,
}

impl<'a> Graph<'a> {
    /// # Safety
    /// `raw` points to a live graph whose nodes and sources are live, and the ggml that made it passed `backend::abi`'s check.
    pub unsafe fn new(raw: *const sys::ggml_cgraph) -> Option<Self> {
        // SAFETY: the caller's promise; null is handled.
        unsafe { raw.as_ref::<'a>() }.map(|raw| Self { raw })
    }

    /// Nodes.
    pub fn len(&self) -> usize {
        self.raw.n_nodes.max(0) as usize
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn raw_node(&self, i: usize) -> *const sys::ggml_tensor {
        debug_assert!(i < self.len());
        // SAFETY: `nodes` has `n_nodes` entries.
        unsafe { *self.raw.nodes.add(i) }
    }

    /// Node `i`; an error names a type that shaders don't know.
    pub fn node(&self, i: usize) -> anyhow::Result<Node> {
        // SAFETY: nodes and their sources live as long as the graph.
        unsafe { tensor::read_node(self.raw_node(i)) }
    }

    /// The op of node `i`.
    pub fn op(&self, i: usize) -> sys::ggml_op {
        // SAFETY: as above.
        unsafe { (*self.raw_node(i)).op }
    }

    /// Whether ggml wants node `i` computed: a graph may hold nodes outside of what was asked for.
    pub fn computes(&self, i: usize) -> bool {
        // SAFETY: as above.
        unsafe { (*self.raw_node(i)).flags & sys::GGML_TENSOR_FLAG_COMPUTE as i32 != 0 }
    }

    /// Ops, types and shapes of `count` nodes from `i`, for logs.
    pub fn describe_nodes(&self, i: usize, count: usize) -> String {
        let one = |i| match self.node(i) {
            Ok(n) => {
                let sources: Vec<String> = n.sources().map(|s| format!("{}{:?}", s.ty, s.ne)).collect();
                format!("{} {}{:?} <- {}", tensor::op_name(n.op), n.dst.ty, n.dst.ne, sources.join(" "))
            }
            Err(_) => tensor::op_name(self.op(i)).to_owned(),
        };
        (i..(i + count).min(self.len())).map(one).collect::<Vec<_>>().join(" + ")
    }

    /// How many nodes of the whole graph (of which this may be a part) use node `i`, views included. `None` if unknown.
    pub fn uses(&self, i: usize) -> Option<u32> {
        let set = &self.raw.visited_hash_set;
        if self.raw.use_counts.is_null() || set.size == 0 || set.keys.is_null() || set.used.is_null() {
            return None;
        }
        let wanted = self.raw_node(i);
        // ggml's own open addressing: pointers shifted by 4, linear probing.
        let first = (wanted as usize >> 4) % set.size;
        for step in 0..set.size {
            let slot = (first + step) % set.size;
            // SAFETY: `used` is a bit set of `size` bits, `keys` and `use_counts` have `size` entries.
            let (used, key) = unsafe { ((*set.used.add(slot / 32) >> (slot % 32)) & 1 == 1, *set.keys.add(slot)) };
            if !used {
                return None;
            }
            if std::ptr::eq(key, wanted) {
                // SAFETY: as above.
                return u32::try_from(unsafe { *self.raw.use_counts.add(slot) }).ok();
            }
        }
        None
    }

    /// A copy of everything that decides what the graph computes and where.
    pub fn snapshot(&self) -> Snapshot {
        let mut words = Vec::with_capacity(self.len() * 48);
        self.describe(&mut |w| {
            words.push(w);
            true
        });
        Snapshot(words)
    }

    /// Whether the graph computes the same in the same places as the one the snapshot was taken of.
    pub fn matches(&self, snapshot: &Snapshot) -> bool {
        let mut expected = snapshot.0.iter();
        self.describe(&mut |w| expected.next() == Some(&w)) && expected.next().is_none()
    }

    /// Calls `word` with each describing word until it returns false.
    fn describe(&self, word: &mut dyn FnMut(u64) -> bool) -> bool {
        for i in 0..self.len() {
            let node = self.raw_node(i);
            // SAFETY: nodes and sources live as long as the graph.
            let t = unsafe { &*node };
            if !(word(node as u64) && word(u64::from(t.op)) && word(t.flags as u64) && place(t, word)) {
                return false;
            }
            for p in t.op_params.chunks_exact(2) {
                if !word(u64::from(p[0] as u32) | u64::from(p[1] as u32) << 32) {
                    return false;
                }
            }
            for &s in &t.src {
                // SAFETY: as above.
                let source = unsafe { s.as_ref() };
                if !(word(s as u64) && source.is_none_or(|s| place(s, word))) {
                    return false;
                }
            }
        }
        true
    }
}

/// Type, shape, strides and address.
fn place(t: &sys::ggml_tensor, word: &mut dyn FnMut(u64) -> bool) -> bool {
    word(u64::from(t.type_))
        && word(t.data as u64)
        && word(t.view_src as u64)
        && t.ne.iter().all(|&n| word(n as u64))
        && t.nb.iter().all(|&n| word(n as u64))
}

/// See [`Graph::snapshot`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(Vec<u64>);

/// A graph whose order may change, before its memory is allocated.
pub struct GraphMut<'a> {
    raw: &'a mut sys::ggml_cgraph,
    params: Option<&'a sys::ggml_backend_graph_optimize_params>,
}

impl<'a> GraphMut<'a> {
    /// # Safety
    /// As [`Graph::new`], and nobody else uses the graph meanwhile; `params` is null or what ggml passed with the graph.
    pub unsafe fn new(raw: *mut sys::ggml_cgraph, params: *const sys::ggml_backend_graph_optimize_params) -> Option<Self> {
        // SAFETY: the caller's promise; null is handled.
        unsafe { Some(Self { raw: raw.as_mut::<'a>()?, params: params.as_ref::<'a>() }) }
    }

    fn graph(&self) -> Graph<'_> {
        Graph { raw: self.raw }
    }

    /// Nodes.
    pub fn len(&self) -> usize {
        self.graph().len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The op of node `i`.
    pub fn op(&self, i: usize) -> sys::ggml_op {
        self.graph().op(i)
    }

    /// Node `i`.
    pub fn node(&self, i: usize) -> anyhow::Result<Node> {
        self.graph().node(i)
    }

    /// The result of node `i` and the tensor that it is a view of (itself if none), whatever its type is.
    pub fn identity(&self, i: usize) -> Option<(usize, usize)> {
        let node = self.graph().raw_node(i);
        // SAFETY: nodes live as long as the graph.
        let t = unsafe { node.as_ref() }?;
        Some((node as usize, if t.view_src.is_null() { node as usize } else { t.view_src as usize }))
    }

    /// Moves node `j` up to place `i`; those between move down by one.
    pub fn move_up(&mut self, j: usize, i: usize) {
        let n = self.len();
        if i < j && j < n {
            // SAFETY: `nodes` has `n_nodes` entries.
            unsafe { std::slice::from_raw_parts_mut(self.raw.nodes, n)[i..=j].rotate_right(1) };
        }
    }

    /// Keeps source `s` of node `i` allocated until node `last` has been computed.
    pub fn keep_source(&mut self, i: usize, s: usize, last: usize) {
        let Some((add, data)) = self.params.and_then(|p| p.add_alloc_dep.map(|add| (add, p.user_data))) else { return };
        let (node, until) = (self.graph().raw_node(i), self.graph().raw_node(last));
        // SAFETY: live nodes of this graph; ggml's own function for this purpose.
        unsafe {
            let source = (*node).src.get(s).copied().unwrap_or(std::ptr::null_mut());
            if !source.is_null() {
                add(data, source, until.cast_mut());
            }
        }
    }
}
