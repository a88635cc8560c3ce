// What the kernels of FLASH_ATTN_EXT that read queries, keys and values share: their parameters and bindings.
// K_TYPE, V_TYPE: the types. K_WORD, V_WORD, MASK_WORD: what their bindings consist of. MASK, SINKS: there are such sources.
// PARTS: results go to scratch memory, unscaled and with their maxima and sums, for flash_attn/combine.
#import common/grid
#import common/view
struct Params {
    n_q: u32,
    n_kv: u32,
    dk: u32, // length of a key
    dv: u32, // length of a value
    n_head: u32,
    group: u32, // heads in a tile's rows
    k_ratio: u32, // heads for each head of keys
    v_ratio: u32,
    batch: u32,
    tiles: u32, // of one group of heads
    splits: u32,
    split_keys: u32,
    pieces: u32, // of a value, where it is longer than SLOTS hold
    mask_ne2: u32,
    mask_ne3: u32,
    scale: f32,
    softcap: f32, // 0: none
    alibi_heads: u32,
    alibi_0: f32, // exponents of the slopes below and from alibi_heads
    alibi_1: f32,
    query_view: View,
    keys_view: View,
    values_view: View,
    mask_view: View,
    dst_view: View,
    sinks_offset: u32,
    part_offset: u32, // of the results; their maxima and sums follow
    part_rows: u32,
}
#params
#bind query: array<f32>
#bind keys: array<K_WORD>
#bind values: array<V_WORD>
#import common/types/K_TYPE q_=k_ Q=keys
#import common/types/V_TYPE q_=v_ Q=values
#if MASK
#bind mask: array<MASK_WORD>
#import common/types/f16 q_=mask_ Q=mask
#endif
#if SINKS && !PARTS
#bind sinks: array<f32>
#endif
#if PARTS
#bind part: array<f32>
#else
#bind dst: array<f32>
#endif
#import flash_attn/score
