//! Reads `pins.tsv`: what is fetched, from where, and the checksum that it must have.

use anyhow::{Context, Result, bail};

const PINS: &str = include_str!("pins.tsv");

/// One thing that is fetched.
#[derive(Debug, PartialEq)]
pub struct Pin {
    pub name: &'static str,
    pub kind: &'static str,
    pub version: &'static str,
    pub checksum: &'static str,
    pub address: &'static str,
}

/// All pins, in the file's order.
pub fn all() -> Result<Vec<Pin>> {
    PINS.lines().filter(|l| !l.starts_with('#')).map(read).collect()
}

/// The pin of a name; where the file gives several addresses, the first.
pub fn one(name: &str) -> Result<Pin> {
    all()?.into_iter().find(|p| p.name == name).with_context(|| format!("third_party/pins.tsv has no line {name}"))
}

/// All addresses of a name.
pub fn addresses(name: &str) -> Result<Vec<&'static str>> {
    Ok(all()?.iter().filter(|p| p.name == name).map(|p| p.address).collect())
}

fn read(line: &'static str) -> Result<Pin> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [name, kind, version, checksum, address] = fields[..] else {
        bail!("third_party/pins.tsv: a line has {} fields, not 5 ({line})", fields.len());
    };
    Ok(Pin { name, kind, version, checksum, address })
}
