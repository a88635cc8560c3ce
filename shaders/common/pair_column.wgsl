// The column of src1 for a pair of token and slot of MUL_MAT_ID: its first byte. Pairs are numbered as the columns of dst.
// SLOTS: columns of a token, if there is neither one for all slots (then src1_nb1 is 0) nor one for each.
fn column_of(pair: u32) -> u32 {
    let slot = pair % params.slots;
#if SLOTS
    return params.src1_offset + pair / params.slots * params.src1_nb2 + slot % SLOTS * params.src1_nb1;
#else
    return params.src1_offset + pair / params.slots * params.src1_nb2 + slot * params.src1_nb1;
#endif
}
