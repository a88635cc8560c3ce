//! The preprocessor of `shaders/`, deliberately poor; `shaders/README.md` lists its directives.
//!
//! `#import path [a_=b_ c=d]`, `#if`/`#elif`/`#else`/`#endif`, `#for NAME count`/`#endfor`, `#define NAME text`, `#bind name: type`,
//! `#params`; elsewhere an identifier that is a define is replaced by its text. A mistake is an error with file and line.

use std::borrow::Cow;
use std::collections::HashMap;

use anyhow::{Result, anyhow, bail};

/// A storage binding of the kernel.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The name in the shader.
    pub name: &'static str,
    /// `read` or `read_write`.
    pub access: &'static str,
}

/// What a variant decides.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Text for identifiers.
    pub defines: HashMap<String, String>,
    /// Bindings in order.
    pub bindings: Vec<Binding>,
    /// Names that stand for another binding.
    pub aliases: Vec<(&'static str, &'static str)>,
    /// Whether the parameters are immediates.
    pub immediates: bool,
}

/// The WGSL of shader `name`; `source` finds the text of a file.
pub fn expand(name: &str, options: &Options, source: &dyn Fn(&str) -> Option<Cow<'static, str>>) -> Result<String> {
    let mut defines = options.defines.clone();
    for (from, to) in &options.aliases {
        defines.insert((*from).to_owned(), (*to).to_owned());
    }
    let mut state = State { options, source, defines, imported: Vec::new(), out: String::new() };
    state.file(name, &[])?;
    Ok(state.out)
}

struct State<'a> {
    options: &'a Options,
    source: &'a dyn Fn(&str) -> Option<Cow<'static, str>>,
    defines: HashMap<String, String>,
    imported: Vec<String>,
    out: String,
}

/// One open `#if`.
struct Branch {
    /// A branch of it has been taken.
    taken: bool,
    /// The current branch is live.
    live: bool,
}

type Renames = [(String, String)];

/// A loop that is written out this often is a mistake.
const MOST_REPEATS: u32 = 256;

impl State<'_> {
    fn file(&mut self, name: &str, renames: &Renames) -> Result<()> {
        let Some(text) = (self.source)(name) else { bail!("shaders/{name}.wgsl does not exist") };
        let mut stack: Vec<Branch> = Vec::new();
        let lines: Vec<&str> = text.lines().collect();
        self.lines(name, &lines, 0, renames, &mut stack)?;
        if !stack.is_empty() {
            bail!("shaders/{name}.wgsl: an #if has no #endif");
        }
        Ok(())
    }

    /// Lines of file `name`, of which `before` others come first.
    fn lines(&mut self, name: &str, lines: &[&str], before: usize, renames: &Renames, stack: &mut Vec<Branch>) -> Result<()> {
        let mut i = 0;
        while let Some(line) = lines.get(i) {
            let at = before + i + 1;
            let Some(head) = for_head(line) else {
                self.line(line, renames, stack).map_err(|e| anyhow!("shaders/{name}.wgsl:{at}: {e:#}"))?;
                i += 1;
                continue;
            };
            let Some(end) = for_end(&lines[i..]) else { bail!("shaders/{name}.wgsl:{at}: a #for has no #endfor") };
            if stack.iter().all(|b| b.live) {
                let (variable, count) = self.count(&rename(head, renames)).map_err(|e| anyhow!("shaders/{name}.wgsl:{at}: {e:#}"))?;
                for n in 0..count {
                    let mut inner = renames.to_vec();
                    inner.push((variable.clone(), n.to_string()));
                    let open = stack.len();
                    self.lines(name, &lines[i + 1..i + end], at, &inner, stack)?;
                    if stack.len() != open {
                        bail!("shaders/{name}.wgsl:{at}: an #if crosses the #for");
                    }
                }
            }
            i += end + 1;
        }
        Ok(())
    }

    /// `name count`, where the count may be a product or quotient of numbers.
    fn count(&self, head: &str) -> Result<(String, u32)> {
        let Some((variable, count)) = head.split_once(char::is_whitespace) else { bail!("#for takes `name count`") };
        let text = self.replace(count.trim(), 0)?;
        let mut value = 1;
        let mut divide = false;
        for token in tokens(&text).map(str::trim).filter(|t| !t.is_empty()) {
            match (token, token.trim_end_matches('u').parse::<u32>()) {
                ("*", _) => divide = false,
                ("/", _) => divide = true,
                (_, Ok(0)) if divide => bail!("#for divides by 0"),
                (_, Ok(n)) => value = if divide { value / n } else { value * n },
                _ => bail!("#for cannot count to {text:?}"),
            }
        }
        if value > MOST_REPEATS {
            bail!("#for repeats {value} times (the limit is {MOST_REPEATS})");
        }
        Ok((variable.to_owned(), value))
    }

    fn line(&mut self, line: &str, renames: &Renames, stack: &mut Vec<Branch>) -> Result<()> {
        let line = line.split("//").next().unwrap_or_default();
        let live = stack.iter().all(|b| b.live);
        let trimmed = line.trim();
        let Some(directive) = trimmed.strip_prefix('#') else {
            if live && !trimmed.is_empty() {
                let text = self.replace(&rename(line.trim_end(), renames), 0)?;
                self.out.push_str(&text);
                self.out.push('\n');
            }
            return Ok(());
        };
        let (word, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let raw = rest.trim();
        let rest = rename(raw, renames);
        match word {
            "if" => {
                let on = live && self.condition(&rest)?;
                stack.push(Branch { taken: on, live: on });
            }
            "elif" | "else" => {
                let outer = stack.len() < 2 || stack[..stack.len() - 1].iter().all(|b| b.live);
                let Some(taken) = stack.last().map(|b| b.taken) else { bail!("#{word} without #if") };
                let on = outer && !taken && (word == "else" || self.condition(&rest)?);
                if let Some(branch) = stack.last_mut() {
                    branch.live = on;
                    branch.taken |= on;
                }
            }
            "endif" => {
                if stack.pop().is_none() {
                    bail!("#endif without #if");
                }
            }
            _ if !live => {}
            "import" => self.import(raw, renames)?,
            "define" => {
                let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((&rest, "1"));
                self.defines.insert(name.to_owned(), value.trim().to_owned());
            }
            "bind" => self.bind(&rest)?,
            "params" => self.params()?,
            other => bail!("#{other} is not a directive"),
        }
        Ok(())
    }

    /// `#import path old=new ...`: names that end in `_` are prefixes; `old` alone is renamed as in the importing file.
    fn import(&mut self, rest: &str, outer: &Renames) -> Result<()> {
        let mut words = rest.split_whitespace();
        let path = self.replace(words.next().unwrap_or_default(), 0)?;
        let mut renames = Vec::new();
        for word in words {
            let (from, to) = word.split_once('=').unwrap_or((word, word));
            renames.push((from.to_owned(), rename(to, outer)));
        }
        let key = format!("{path} {renames:?}");
        if self.imported.contains(&key) {
            return Ok(());
        }
        self.imported.push(key);
        self.file(&path, &renames)
    }

    /// `#bind name: type` declares a binding, or nothing if the name stands for another one.
    fn bind(&mut self, rest: &str) -> Result<()> {
        let Some((name, ty)) = rest.split_once(':') else { bail!("#bind takes `name: type`") };
        let name = name.trim();
        if self.options.aliases.iter().any(|a| a.0 == name) {
            return Ok(());
        }
        let Some(index) = self.options.bindings.iter().position(|b| b.name == name) else {
            bail!("the room gives no binding {name}");
        };
        let access = self.options.bindings[index].access;
        let ty = self.replace(ty.trim(), 0)?;
        self.out.push_str(&format!("@group(0) @binding({index}) var<storage, {access}> {name}: {ty};\n"));
        Ok(())
    }

    fn params(&mut self) -> Result<()> {
        if self.options.immediates {
            self.out.push_str("var<immediate> params: Params;\n");
        } else {
            let index = self.options.bindings.len();
            self.out.push_str(&format!("@group(0) @binding({index}) var<storage, read> params: Params;\n"));
        }
        Ok(())
    }

    /// Replaces identifiers that are defines, again in what they stand for.
    fn replace(&self, text: &str, depth: usize) -> Result<String> {
        if depth > 8 {
            bail!("a define stands for itself: {text}");
        }
        let mut out = String::with_capacity(text.len());
        for token in tokens(text) {
            match self.defines.get(token) {
                Some(value) if value != token => out.push_str(&self.replace(value, depth + 1)?),
                _ => out.push_str(token),
            }
        }
        Ok(out)
    }

    /// `a && !b || c == d`, with `<`, `>` and `!=` between numbers or names. An undefined name is false.
    fn condition(&self, text: &str) -> Result<bool> {
        for any in text.split("||") {
            let mut all = true;
            for term in any.split("&&") {
                all &= self.term(term.trim())?;
            }
            if all {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn term(&self, term: &str) -> Result<bool> {
        for op in ["==", "!=", ">=", "<=", "<", ">"] {
            let Some((a, b)) = term.split_once(op) else { continue };
            let (a, b) = (self.replace(a.trim(), 0)?, self.replace(b.trim(), 0)?);
            if op == "==" || op == "!=" {
                return Ok((a == b) == (op == "=="));
            }
            let (Ok(a), Ok(b)) = (a.parse::<f64>(), b.parse::<f64>()) else { bail!("{term:?} does not compare numbers") };
            return Ok(match op {
                "<" => a < b,
                ">" => a > b,
                "<=" => a <= b,
                _ => a >= b,
            });
        }
        let (name, wanted) = term.strip_prefix('!').map_or((term, true), |n| (n.trim(), false));
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            bail!("{term:?} is not a condition");
        }
        Ok(self.defines.get(name).is_some_and(|v| v != "0") == wanted)
    }
}

/// What follows `#for`.
fn for_head(line: &str) -> Option<&str> {
    line.split("//").next()?.trim().strip_prefix("#for ").map(str::trim)
}

/// The line of the `#endfor` that closes the `#for` of line 0.
fn for_end(lines: &[&str]) -> Option<usize> {
    let mut depth = 0;
    lines.iter().position(|line| {
        depth += usize::from(for_head(line).is_some());
        let ends = line.trim() == "#endfor";
        depth -= usize::from(ends);
        ends && depth == 0
    })
}

/// Identifiers and what lies between them.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = rest.find(|c| word(c) != word(first)).unwrap_or(rest.len());
        let (token, tail) = rest.split_at(end);
        rest = tail;
        Some(token)
    })
}

fn rename(text: &str, renames: &Renames) -> String {
    if renames.is_empty() {
        return text.to_owned();
    }
    tokens(text)
        .map(|token| {
            renames
                .iter()
                .find_map(|(from, to)| match token.strip_prefix(from.as_str())? {
                    "" => Some(to.clone()),
                    tail if from.ends_with('_') => Some(format!("{to}{tail}")),
                    _ => None,
                })
                .unwrap_or_else(|| token.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(files: &'static [(&'static str, &'static str)], options: &Options) -> Result<String> {
        expand("main", options, &|name| files.iter().find(|f| f.0 == name).map(|f| Cow::Borrowed(f.1)))
    }

    #[test]
    fn branches_nest_and_dead_ones_are_not_evaluated() -> Result<()> {
        let files = &[("main", "#if A\na\n#if B == 2\nb\n#elif B == 3\nc\n#else\nd\n#endif\n#else\n#import none\n#endif\ne")];
        let options = Options { defines: [("A", "1"), ("B", "3")].map(|(a, b)| (a.to_owned(), b.to_owned())).into(), ..Options::default() };
        assert_eq!(run(files, &options)?, "a\nc\ne\n");
        Ok(())
    }

    #[test]
    fn imports_are_renamed_and_come_once() -> Result<()> {
        let files = &[
            ("main", "#import x q_=k_ Q=k\n#import x q_=k_ Q=k\n#import x q_=v_ Q=v\nend"),
            ("x", "#import y q_ Q\n"),
            ("y", "fn q_f() { Q[N]; QQ; } // q_\n"),
        ];
        let options =
            Options { defines: [("N".to_owned(), "M + 1".to_owned()), ("M".to_owned(), "7".to_owned())].into(), ..Options::default() };
        assert_eq!(run(files, &options)?, "fn k_f() { k[7 + 1]; QQ; }\nfn v_f() { v[7 + 1]; QQ; }\nend\n");
        Ok(())
    }

    #[test]
    fn loops_are_written_out() -> Result<()> {
        let files = &[(
            "main",
            "#for i N * 2\n#for j 2\n#if i == 1 && j == 0\na[i][j] = ij;\n#endif\n#endfor\nb[i]\n#endfor\n#if X\n#for k NOTHING\n#endfor\n#endif",
        )];
        let options = Options { defines: [("N".to_owned(), "1u".to_owned())].into(), ..Options::default() };
        assert_eq!(run(files, &options)?, "b[0]\na[1][0] = ij;\nb[1]\n");
        Ok(())
    }

    #[test]
    fn an_aliased_binding_is_not_declared() -> Result<()> {
        let files = &[("main", "#bind a: array<f32>\n#bind dst: array<f32>\n#params\ndst[0] = a[0];")];
        let options = Options {
            bindings: vec![Binding { name: "dst", access: "read_write" }],
            aliases: vec![("a", "dst")],
            immediates: true,
            ..Options::default()
        };
        let text = run(files, &options)?;
        assert_eq!(
            text,
            "@group(0) @binding(0) var<storage, read_write> dst: array<f32>;\nvar<immediate> params: Params;\ndst[0] = dst[0];\n"
        );
        Ok(())
    }

    #[test]
    fn mistakes_name_the_file_and_line() {
        for (text, what) in [
            ("a\n#endif", "main.wgsl:2"),
            ("#if A", "no #endif"),
            ("#what", "main.wgsl:1"),
            ("#bind a: b", "no binding a"),
            ("a\n#for i 2", "main.wgsl:2"),
            ("#for i x\n#endfor", "cannot count"),
        ] {
            let files: &'static [(&str, &str)] = Box::leak(Box::new([("main", text)]));
            let error = run(files, &Options::default()).unwrap_or_else(|e| e.to_string());
            assert!(error.contains(what), "{error}");
        }
    }
}
