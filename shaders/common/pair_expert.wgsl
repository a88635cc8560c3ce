// The expert of a pair of token and slot of MUL_MAT_ID. A number out of range stands for the last expert.
fn expert_of(pair: u32) -> u32 {
    let at = params.ids_offset + pair % params.slots * params.ids_nb0 + pair / params.slots * params.ids_nb1;
    return min(u32(ids[at / 4u]), params.experts - 1u);
}
