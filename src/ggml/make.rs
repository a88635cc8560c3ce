//! Builds small graphs for cases, by ggml's own constructors. Tests and benches allocate and run them.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::sys;
use super::types::Type;

/// A tensor of a [`Make`].
#[derive(Debug, Clone, Copy)]
pub struct T<'a>(NonNull<sys::ggml_tensor>, PhantomData<&'a Make>);

impl T<'_> {
    /// ggml's struct.
    pub fn raw(self) -> *mut sys::ggml_tensor {
        self.0.as_ptr()
    }
}

fn or_null(t: Option<T<'_>>) -> *mut sys::ggml_tensor {
    t.map_or(std::ptr::null_mut(), T::raw)
}

/// How an input is filled.
#[derive(Debug, Clone, PartialEq)]
pub enum Fill {
    /// Uniform between two bounds; quantised if the type is.
    Uniform(f32, f32),
    /// These values, repeated.
    Values(Vec<f32>),
    /// These integers, repeated.
    Ints(Vec<i64>),
    /// Distinct numbers below the bound in each row, in random order.
    Distinct(i64),
    /// Half of the values at random are -inf, the others 0, as in an attention mask; never a whole row.
    Mask,
}

/// A graph being built. Tensors have no memory yet.
#[derive(Debug)]
pub struct Make {
    ctx: NonNull<sys::ggml_context>,
    weights: NonNull<sys::ggml_context>,
    inputs: RefCell<Vec<(NonNull<sys::ggml_tensor>, Fill)>>,
    also: RefCell<Vec<NonNull<sys::ggml_tensor>>>,
}

impl Make {
    /// Room for a few hundred tensors.
    pub fn new() -> Option<Self> {
        // SAFETY: plain size queries.
        let size = unsafe { 512 * sys::ggml_tensor_overhead() + sys::ggml_graph_overhead_custom(512, false) };
        let context = || {
            let params = sys::ggml_init_params { mem_size: size, mem_buffer: std::ptr::null_mut(), no_alloc: true };
            // SAFETY: ggml allocates the context, freed in `drop`.
            NonNull::new(unsafe { sys::ggml_init(params) })
        };
        Some(Self { ctx: context()?, weights: context()?, inputs: RefCell::default(), also: RefCell::default() })
    }

    /// ggml's context.
    pub fn context(&self) -> *mut sys::ggml_context {
        self.ctx.as_ptr()
    }

    /// The context of the weights, which get a buffer of their own, as in a program.
    pub fn weights(&self) -> *mut sys::ggml_context {
        self.weights.as_ptr()
    }

    /// What each input is filled with, in the order of the calls.
    pub fn inputs(&self) -> Vec<(*mut sys::ggml_tensor, Fill)> {
        self.inputs.borrow().iter().map(|(t, f)| (t.as_ptr(), f.clone())).collect()
    }

    /// Tensors that are computed and compared besides the result.
    pub fn also_computed(&self) -> Vec<*mut sys::ggml_tensor> {
        self.also.borrow().iter().map(|t| t.as_ptr()).collect()
    }

    /// Computes and compares `t` too, though the result does not depend on it.
    pub fn also(&self, t: T<'_>) {
        self.also.borrow_mut().push(t.0);
    }

    /// Marks an input as a weight that training changes.
    pub fn param<'a>(&'a self, a: T<'a>) -> T<'a> {
        // SAFETY: a live tensor without an op.
        unsafe { sys::ggml_set_param(a.raw()) };
        a
    }

    fn wrap(&self, raw: *mut sys::ggml_tensor) -> T<'_> {
        // ggml's constructors abort rather than return null.
        T(NonNull::new(raw).unwrap_or(NonNull::dangling()), PhantomData)
    }

    /// An input with uniform values in -1..1, named for its place.
    pub fn input(&self, ty: Type, ne: [i64; 4]) -> T<'_> {
        self.filled(ty, ne, Fill::Uniform(-1.0, 1.0))
    }

    /// An input.
    pub fn filled(&self, ty: Type, ne: [i64; 4], fill: Fill) -> T<'_> {
        // SAFETY: the context is live; ggml copies the shape.
        let t = self.wrap(unsafe { sys::ggml_new_tensor(self.context(), ty.info().id, 4, ne.as_ptr()) });
        self.inputs.borrow_mut().push((t.0, fill));
        t
    }

    /// An input with uniform values in -1..1 that lies apart from what is computed.
    pub fn weight(&self, ty: Type, ne: [i64; 4]) -> T<'_> {
        // SAFETY: the context is live; ggml copies the shape.
        let t = self.wrap(unsafe { sys::ggml_new_tensor(self.weights(), ty.info().id, 4, ne.as_ptr()) });
        self.inputs.borrow_mut().push((t.0, Fill::Uniform(-1.0, 1.0)));
        t
    }

    /// The part of `a` that begins at `offset` bytes, with shape `ne` and strides `nb` (of dimensions 1 to 3).
    pub fn view<'a>(&'a self, a: T<'a>, ne: [i64; 4], nb: [usize; 3], offset: usize) -> T<'a> {
        // SAFETY: live context and tensor; ggml checks the range.
        self.wrap(unsafe { sys::ggml_view_4d(self.context(), a.raw(), ne[0], ne[1], ne[2], ne[3], nb[0], nb[1], nb[2], offset) })
    }

    /// Dimensions in another order: dimension i becomes `axes[i]`.
    pub fn permute<'a>(&'a self, a: T<'a>, axes: [i32; 4]) -> T<'a> {
        // SAFETY: live context and tensor.
        self.wrap(unsafe { sys::ggml_permute(self.context(), a.raw(), axes[0], axes[1], axes[2], axes[3]) })
    }

    /// Another shape over the same elements.
    pub fn reshape<'a>(&'a self, a: T<'a>, ne: [i64; 4]) -> T<'a> {
        // SAFETY: live context and tensor.
        self.wrap(unsafe { sys::ggml_reshape_4d(self.context(), a.raw(), ne[0], ne[1], ne[2], ne[3]) })
    }

    /// ROPE, or ROPE_BACK; `floats` are base, scale, extrapolation, attention and the two betas.
    #[allow(clippy::too_many_arguments, reason = "ggml's arguments")]
    pub fn rope<'a>(
        &'a self,
        a: T<'a>,
        pos: T<'a>,
        factors: Option<T<'a>>,
        back: bool,
        n_dims: i32,
        mut sections: [i32; 4],
        mode: i32,
        context: i32,
        floats: [f32; 6],
    ) -> T<'a> {
        let make = if back { sys::ggml_rope_multi_back } else { sys::ggml_rope_multi };
        let [f0, f1, f2, f3, f4, f5] = floats;
        let (sections, factors) = (sections.as_mut_ptr(), or_null(factors));
        // SAFETY: live context and tensors; ggml copies the sections.
        self.wrap(unsafe { make(self.context(), a.raw(), pos.raw(), factors, n_dims, sections, mode, context, f0, f1, f2, f3, f4, f5) })
    }

    /// Lets a ROPE begin at element `first` of each row.
    pub fn rope_set_offset<'a>(&self, a: T<'a>, first: i32) -> T<'a> {
        // SAFETY: a live tensor, which ggml gives back.
        unsafe { sys::ggml_rope_set_offset(a.raw(), first) };
        a
    }

    /// Gives a SOFT_MAX sinks.
    pub fn soft_max_add_sinks<'a>(&'a self, a: T<'a>, sinks: T<'a>) -> T<'a> {
        // SAFETY: live tensors.
        unsafe { sys::ggml_soft_max_add_sinks(a.raw(), sinks.raw()) };
        a
    }

    /// IM2COL_BACK; `steps` are strides, padding and dilation, each for width and height.
    pub fn im2col_back<'a>(&'a self, a: T<'a>, kernel: T<'a>, mut ne: [i64; 4], steps: [i32; 6], is_2d: bool) -> T<'a> {
        let [s0, s1, p0, p1, d0, d1] = steps;
        // SAFETY: live context and tensors; ggml copies the shape.
        self.wrap(unsafe { sys::ggml_im2col_back(self.context(), a.raw(), kernel.raw(), ne.as_mut_ptr(), s0, s1, p0, p1, d0, d1, is_2d) })
    }

    /// Gives a FLASH_ATTN_EXT sinks.
    pub fn flash_attn_ext_add_sinks<'a>(&'a self, a: T<'a>, sinks: T<'a>) -> T<'a> {
        // SAFETY: live tensors.
        unsafe { sys::ggml_flash_attn_ext_add_sinks(a.raw(), sinks.raw()) };
        a
    }

    /// FLASH_ATTN_BACK, whose constructor in ggml only aborts; the CPU backend computes it.
    pub fn flash_attn_back<'a>(&'a self, q: T<'a>, k: T<'a>, v: T<'a>, d: T<'a>, masked: bool) -> T<'a> {
        let padded = |t: T<'_>| self.ne(t).iter().map(|&n| n as usize).product::<usize>().next_multiple_of(4);
        let ne = (padded(q) + padded(k) + padded(v)) as i64;
        // SAFETY: the context is live.
        let t = self.wrap(unsafe { sys::ggml_new_tensor_1d(self.context(), sys::GGML_TYPE_F32, ne) });
        // SAFETY: a new tensor of this context, whose sources live as long.
        unsafe {
            let raw = &mut *t.raw();
            raw.op = sys::GGML_OP_FLASH_ATTN_BACK;
            raw.op_params[0] = i32::from(masked);
            raw.src[..4].copy_from_slice(&[q.raw(), k.raw(), v.raw(), d.raw()]);
        }
        t
    }

    /// Strides in bytes.
    pub fn nb(&self, a: T<'_>) -> [usize; 4] {
        // SAFETY: a live tensor.
        unsafe { (*a.raw()).nb }
    }

    /// Shape.
    pub fn ne(&self, a: T<'_>) -> [i64; 4] {
        // SAFETY: a live tensor.
        unsafe { (*a.raw()).ne }
    }
}

impl Drop for Make {
    fn drop(&mut self) {
        // SAFETY: made in `new`, freed once.
        unsafe {
            sys::ggml_free(self.ctx.as_ptr());
            sys::ggml_free(self.weights.as_ptr());
        }
    }
}

/// ggml's constructors, one line each: name, tensors | tensors that may be missing; other arguments.
macro_rules! constructors {
    ($($name:ident => $ggml:ident ( $($t:ident),* $(| $($o:ident),*)? ; $($arg:ident : $ty:ty),* );)*) => {
        #[allow(missing_docs, reason = "ggml's names and arguments")]
        #[allow(clippy::too_many_arguments, reason = "ggml's arguments")]
        impl Make {
            $(pub fn $name<'a>(&'a self, $($t: T<'a>,)* $($($o: Option<T<'a>>,)*)? $($arg: $ty),*) -> T<'a> {
                // SAFETY: the context and the tensors are live; ggml aborts on shapes that do not fit.
                self.wrap(unsafe { sys::$ggml(self.context(), $($t.raw(),)* $($(or_null($o),)*)? $($arg),*) })
            })*
        }
    };
}

constructors! {
    add => ggml_add(a, b;);
    add1 => ggml_add1(a, b;);
    add_cast => ggml_add_cast(a, b; ty: sys::ggml_type);
    add_inplace => ggml_add_inplace(a, b;);
    sub => ggml_sub(a, b;);
    mul => ggml_mul(a, b;);
    div => ggml_div(a, b;);
    norm => ggml_norm(a; eps: f32);
    rms_norm => ggml_rms_norm(a; eps: f32);
    rms_norm_inplace => ggml_rms_norm_inplace(a; eps: f32);
    mul_mat => ggml_mul_mat(a, b;);
    mul_mat_id => ggml_mul_mat_id(a, b, ids;);
    cpy => ggml_cpy(a, b;);
    cont => ggml_cont(a;);
    dup => ggml_dup(a;);
    get_rows => ggml_get_rows(a, b;);
    set_rows => ggml_set_rows(a, b, c;);
    glu => ggml_glu(a; op: sys::ggml_glu_op, swapped: bool);
    glu_split => ggml_glu_split(a, b; op: sys::ggml_glu_op);
    unary => ggml_unary(a; op: sys::ggml_unary_op);
    unary_inplace => ggml_unary_inplace(a; op: sys::ggml_unary_op);
    xielu => ggml_xielu(a; alpha_n: f32, alpha_p: f32, beta: f32, eps: f32);
    sqr => ggml_sqr(a;);
    sqrt => ggml_sqrt(a;);
    log => ggml_log(a;);
    sin => ggml_sin(a;);
    cos => ggml_cos(a;);
    leaky_relu => ggml_leaky_relu(a; negative_slope: f32, inplace: bool);
    clamp => ggml_clamp(a; min: f32, max: f32);
    fill => ggml_fill(a; value: f32);
    scale_bias => ggml_scale_bias(a; scale: f32, bias: f32);
    scale_inplace => ggml_scale_inplace(a; scale: f32);
    swiglu_oai => ggml_swiglu_oai(a, b; alpha: f32, limit: f32);
    swiglu_clamp => ggml_swiglu_clamp(a, b; limit: f32);
    l2_norm => ggml_l2_norm(a; eps: f32);
    sum => ggml_sum(a;);
    sum_rows => ggml_sum_rows(a;);
    mean => ggml_mean(a;);
    cumsum => ggml_cumsum(a;);
    argmax => ggml_argmax(a;);
    count_equal => ggml_count_equal(a, b;);
    argsort => ggml_argsort(a; order: sys::ggml_sort_order);
    top_k => ggml_top_k(a; k: i32);
    group_norm => ggml_group_norm(a; groups: i32, eps: f32);
    group_norm_inplace => ggml_group_norm_inplace(a; groups: i32, eps: f32);
    rms_norm_back => ggml_rms_norm_back(a, b; eps: f32);
    cross_entropy_loss => ggml_cross_entropy_loss(a, b;);
    cross_entropy_loss_back => ggml_cross_entropy_loss_back(a, b, c;);
    out_prod => ggml_out_prod(a, b;);
    get_rows_back => ggml_get_rows_back(a, b, c;);
    im2col => ggml_im2col(kernel, b; s0: i32, s1: i32, p0: i32, p1: i32, d0: i32, d1: i32, is_2d: bool, ty: sys::ggml_type);
    im2col_3d => ggml_im2col_3d(kernel, b; ic: i64, s0: i32, s1: i32, s2: i32, p0: i32, p1: i32, p2: i32, d0: i32, d1: i32, d2: i32, ty: sys::ggml_type);
    conv_2d_direct => ggml_conv_2d_direct(kernel, b; s0: i32, s1: i32, p0: i32, p1: i32, d0: i32, d1: i32);
    conv_2d_dw_direct => ggml_conv_2d_dw_direct(kernel, b; s0: i32, s1: i32, p0: i32, p1: i32, d0: i32, d1: i32);
    conv_3d_direct => ggml_conv_3d_direct(kernel, b; s0: i32, s1: i32, s2: i32, p0: i32, p1: i32, p2: i32, d0: i32, d1: i32, d2: i32, c: i32, n: i32, oc: i32);
    conv_transpose_1d => ggml_conv_transpose_1d(kernel, b; s0: i32, p0: i32, d0: i32);
    conv_transpose_2d_p0 => ggml_conv_transpose_2d_p0(kernel, b; stride: i32);
    col2im_1d => ggml_col2im_1d(a; s0: i32, oc: i32, p0: i32);
    pool_1d => ggml_pool_1d(a; kind: sys::ggml_op_pool, k0: i32, s0: i32, p0: i32);
    pool_2d => ggml_pool_2d(a; kind: sys::ggml_op_pool, k0: i32, k1: i32, s0: i32, s1: i32, p0: f32, p1: f32);
    pool_2d_back => ggml_pool_2d_back(a, af; kind: sys::ggml_op_pool, k0: i32, k1: i32, s0: i32, s1: i32, p0: f32, p1: f32);
    soft_max => ggml_soft_max(a;);
    soft_max_inplace => ggml_soft_max_inplace(a;);
    soft_max_ext => ggml_soft_max_ext(a | mask; scale: f32, max_bias: f32);
    soft_max_ext_back => ggml_soft_max_ext_back(a, b; scale: f32, max_bias: f32);
    soft_max_ext_back_inplace => ggml_soft_max_ext_back_inplace(a, b; scale: f32, max_bias: f32);
    rope_inplace => ggml_rope_inplace(a, pos; n_dims: i32, mode: i32);
    flash_attn_ext => ggml_flash_attn_ext(q, k, v | mask; scale: f32, max_bias: f32, logit_softcap: f32);
    concat => ggml_concat(a, b; dim: i32);
    repeat => ggml_repeat(a, b;);
    repeat_back => ggml_repeat_back(a, b;);
    set => ggml_set(a, b; nb1: usize, nb2: usize, nb3: usize, offset: usize);
    set_inplace => ggml_set_inplace(a, b; nb1: usize, nb2: usize, nb3: usize, offset: usize);
    acc => ggml_acc(a, b; nb1: usize, nb2: usize, nb3: usize, offset: usize);
    acc_inplace => ggml_acc_inplace(a, b; nb1: usize, nb2: usize, nb3: usize, offset: usize);
    pad_ext => ggml_pad_ext(a; lp0: i32, rp0: i32, lp1: i32, rp1: i32, lp2: i32, rp2: i32, lp3: i32, rp3: i32);
    pad_ext_circular => ggml_pad_ext_circular(a; lp0: i32, rp0: i32, lp1: i32, rp1: i32, lp2: i32, rp2: i32, lp3: i32, rp3: i32);
    pad_reflect_1d => ggml_pad_reflect_1d(a; p0: i32, p1: i32);
    roll => ggml_roll(a; shift0: i32, shift1: i32, shift2: i32, shift3: i32);
    win_part => ggml_win_part(a; w: i32);
    win_unpart => ggml_win_unpart(a; w0: i32, h0: i32, w: i32);
    get_rel_pos => ggml_get_rel_pos(a; qh: i32, kh: i32);
    diag => ggml_diag(a;);
    tri => ggml_tri(a; kind: sys::ggml_tri_type);
    diag_mask_inf => ggml_diag_mask_inf(a; n_past: i32);
    diag_mask_zero_inplace => ggml_diag_mask_zero_inplace(a; n_past: i32);
    arange => ggml_arange(; start: f32, stop: f32, step: f32);
    timestep_embedding => ggml_timestep_embedding(a; dim: i32, max_period: i32);
    add_id => ggml_add_id(a, b, ids;);
    interpolate => ggml_interpolate(a; ne0: i64, ne1: i64, ne2: i64, ne3: i64, mode: u32);
    silu_back => ggml_silu_back(a, b;);
    opt_step_adamw => ggml_opt_step_adamw(a, grad, m, v, own;);
    opt_step_sgd => ggml_opt_step_sgd(a, grad, own;);
    add_rel_pos => ggml_add_rel_pos(a, width, height;);
    add_rel_pos_inplace => ggml_add_rel_pos_inplace(a, width, height;);
    ssm_conv => ggml_ssm_conv(a, b;);
    ssm_scan => ggml_ssm_scan(s, x, dt, a, b, c, ids; k: i64);
    gated_delta_net => ggml_gated_delta_net(q, k, v, g, beta, state; kept: i64);
    solve_tri => ggml_solve_tri(a, b; left: bool, lower: bool, uni: bool);
    rwkv_wkv6 => ggml_rwkv_wkv6(k, v, r, tf, td, state;);
    rwkv_wkv7 => ggml_rwkv_wkv7(r, w, k, v, a, b, state;);
    gated_linear_attn => ggml_gated_linear_attn(k, v, q, g, state; scale: f32);
    lightning_indexer => ggml_lightning_indexer(q, k, weights, mask;);
    dsv4_hc_comb => ggml_dsv4_hc_comb(mixes, scale, base; eps: f32, n_iter: i32);
    dsv4_hc_pre => ggml_dsv4_hc_pre(x, weights;);
    dsv4_hc_pre_gated => ggml_dsv4_hc_pre_gated(x, gate; scale: f32);
    dsv4_hc_post => ggml_dsv4_hc_post(x, residual, post | comb;);
}
