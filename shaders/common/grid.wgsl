// The number of a workgroup in a grid that `ops/grid.rs` spread over the dimensions.
fn workgroup_index(id: vec3<u32>, count: vec3<u32>) -> u32 {
    return id.x + count.x * (id.y + count.y * id.z);
}
