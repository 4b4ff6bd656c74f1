//! `relay models`: which models exist, their limits and prices, and which are usable now.

use relay_llm::catalog::{CatalogModel, CatalogProvider, LocalServer};
use relay_llm::{Model, ThinkingStyle};
use relay_settings::{Models, NO_MODEL_YET};
use serde_json::{Value, json};

use crate::cli::ModelsArgs;
use crate::failure::Failure;
use crate::open;
use crate::signals;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, GOOD, STRONG, paint};
use crate::terminal::{self, columns, visible};
use crate::user;

/// A model in the list.
struct Row<'a> {
    entry: &'a CatalogModel,
    usable: bool,
}

/// `--list-models [PATTERN]`.
pub fn list(offline: bool, pattern: &str) -> Result<u8, Failure> {
    let query = pattern.split_whitespace().map(str::to_owned).collect();
    run(offline, &ModelsArgs { query, all: false, json: false })
}

pub fn run(offline: bool, args: &ModelsArgs) -> Result<u8, Failure> {
    let models = user::models(&open::store()?)?;
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let servers = models.local_servers(offline, &cancel);
    let query = args.query.join(" ");
    let rows = rows(&models, &servers, &query, args.all);
    if args.json {
        return Ok(terminal::print_document(&document(&models, &servers, &rows)));
    }
    if !rows.is_empty() {
        terminal::print_as_is(&table(&rows));
    }
    terminal::tell(&remarks(&models, &servers, &rows, args, offline));
    Ok(u8::from(rows.is_empty() && !query.is_empty()))
}

fn rows<'a>(models: &'a Models, servers: &'a [LocalServer], query: &str, all: bool) -> Vec<Row<'a>> {
    let served = servers.iter().flat_map(|server| &server.models);
    let is_served = |model: &Model| served.clone().any(|entry| entry.model.selector() == model.selector());
    let usable = |model: &Model| {
        let known = models.catalog.provider(&model.provider.name);
        is_served(model) || known.is_some_and(|known| can_be_asked(models, known))
    };
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let is_meant = |entry: &&CatalogModel| {
        let selector = entry.model.selector().to_lowercase();
        words.iter().all(|word| selector.contains(word))
    };
    let mut rows: Vec<Row<'a>> = models
        .catalog
        .search(query)
        .into_iter()
        .map(|entry| Row { entry, usable: usable(&entry.model) })
        .collect();
    let is_listed =
        |entry: &CatalogModel| rows.iter().any(|row| row.entry.model.selector() == entry.model.selector());
    let further: Vec<&CatalogModel> =
        served.clone().filter(is_meant).filter(|entry| !is_listed(entry)).collect();
    rows.extend(further.into_iter().map(|entry| Row { entry, usable: true }));
    rows.retain(|row| all || !words.is_empty() || row.usable);
    rows
}

/// Whether a request could be sent: there is a key, or a configured server needs none.
fn can_be_asked(models: &Models, known: &CatalogProvider) -> bool {
    models.has_key(known) || (!known.needs_key() && !known.is_local)
}

fn table(rows: &[Row<'_>]) -> String {
    let selectors: Vec<String> =
        rows.iter().map(|row| visible(&row.entry.model.selector()).into_owned()).collect();
    let width = selectors.iter().map(|selector| columns(selector)).max().unwrap_or_default().max(5);
    let mut text = String::new();
    let heading = format!("  {:<width$}  context  answer    $ in   $ out  ", "model");
    line(&mut text, format_args!("{}", paint(FAINT, heading.trim_end())));
    for (row, selector) in rows.iter().zip(selectors) {
        let model = &row.entry.model;
        let mark = if row.usable { paint(GOOD, "✓") } else { paint(FAINT, " ") };
        let (input, output) = model
            .prices
            .map_or_else(Default::default, |prices| (dollars(prices.input), dollars(prices.output)));
        let padding = " ".repeat(width.saturating_sub(columns(&selector)));
        let style = if row.usable { STRONG } else { FAINT };
        let facts = format!(
            "{:>7}  {:>6}  {input:>6}  {output:>6}  {}",
            tokens(model.limits.context),
            tokens(model.limits.output),
            abilities(model)
        );
        line(&mut text, format_args!("{mark} {}{padding}  {}", paint(style, selector), facts.trim_end()));
    }
    text
}

/// 128,000 as 128k, 1,048,576 as 1M.
fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}k", count / 1_000),
        _ if count % 1_000_000 < 100_000 => format!("{}M", count / 1_000_000),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

fn dollars(price: f64) -> String {
    let exact = format!("{price:.3}");
    exact.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn abilities(model: &Model) -> String {
    let can = &model.capabilities;
    let named = [(can.thinking != ThinkingStyle::None, "thinks"), (can.images, "sees"), (can.tools, "tools")];
    named.iter().filter(|(can, _)| *can).map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

/// Notes below the table: where keys come from, which servers answered, and what to do without either.
fn remarks(
    models: &Models,
    servers: &[LocalServer],
    rows: &[Row<'_>],
    args: &ModelsArgs,
    offline: bool,
) -> String {
    let mut text = String::new();
    if rows.is_empty() && !args.query.is_empty() {
        let query = args.query.join(" ");
        line(
            &mut text,
            format_args!(
                "no known model matches `{}`; any model of a known provider works as provider/model",
                visible(&query)
            ),
        );
        return text;
    }
    let keyed: Vec<&CatalogProvider> =
        models.catalog.providers().iter().filter(|known| models.has_key(known)).collect();
    for known in &keyed {
        let name = &known.provider.name;
        let sources: Vec<String> = models.keyring.sources(name).iter().map(ToString::to_string).collect();
        let more = if known.models.is_empty() {
            format!("; any of its models, as {name}/MODEL")
        } else {
            String::new()
        };
        line(
            &mut text,
            format_args!("{}", paint(FAINT, format_args!("{name}: {}{more}", visible(&sources.join(", "))))),
        );
    }
    for server in servers {
        line(
            &mut text,
            format_args!(
                "{}",
                paint(FAINT, format_args!("{}: {}", server.provider, visible(&server.base_url)))
            ),
        );
    }
    if keyed.is_empty() && servers.is_empty() && !args.all && args.query.is_empty() {
        let looked = if offline {
            "Relay did not look for model servers (--offline)"
        } else {
            "no model server answers on this machine"
        };
        line(
            &mut text,
            format_args!("No model is usable: no key is set, and {looked}.\n{}", NO_MODEL_YET.trim_end()),
        );
    }
    if !args.all && args.query.is_empty() {
        line(&mut text, format_args!("{}", paint(FAINT, "`relay models --all` lists every known model.")));
    }
    text
}

fn document(models: &Models, servers: &[LocalServer], rows: &[Row<'_>]) -> Value {
    let model = |row: &Row<'_>| {
        let model = &row.entry.model;
        json!({
            "selector": model.selector(),
            "provider": model.provider.name,
            "id": model.id,
            "name": row.entry.name,
            "usable": row.usable,
            "context": model.limits.context,
            "output": model.limits.output,
            "prices": model.prices,
            "thinking": model.capabilities.thinking,
            "images": model.capabilities.images,
            "tools": model.capabilities.tools,
            "structured": model.capabilities.structured,
        })
    };
    let provider = |known: &CatalogProvider| {
        let name = &known.provider.name;
        let server = servers.iter().find(|server| server.provider == *name);
        json!({
            "name": name,
            "baseUrl": known.provider.base_url,
            "usable": can_be_asked(models, known) || server.is_some(),
            "keys": models.keyring.sources(name).iter().map(ToString::to_string).collect::<Vec<_>>(),
            "answers": known.is_local.then_some(server.is_some()),
        })
    };
    json!({
        "models": rows.iter().map(model).collect::<Vec<_>>(),
        "providers": models.catalog.providers().iter().map(provider).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::{dollars, tokens};

    #[test]
    fn numbers_are_short() {
        for (count, expected) in [
            (512, "512"),
            (8_192, "8k"),
            (128_000, "128k"),
            (1_000_000, "1M"),
            (1_048_576, "1M"),
            (1_500_000, "1.5M"),
        ] {
            assert_eq!(tokens(count), expected);
        }
        for (price, expected) in [(4.0, "4"), (0.75, "0.75"), (0.125, "0.125"), (0.0, "0")] {
            assert_eq!(dollars(price), expected);
        }
    }
}
