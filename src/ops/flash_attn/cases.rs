//! Graphs that FLASH_ATTN_EXT is tested and measured on.

use crate::ops::Case;

pub(super) fn cases() -> Vec<Case> {
    Vec::new()
}
