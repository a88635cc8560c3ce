//! Numbers and names of ggml's ops, as its headers give them; `backend::abi` compares them with the ggml at hand.

include!(concat!(env!("OUT_DIR"), "/ggml_names.rs"));
