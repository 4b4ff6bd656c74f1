//! The grammar of expressions: `sum`, `product`, `signed`, `power`, `atom`, each binding tighter than the one before.

/// How deep parentheses, signs and powers may nest. Deeper input is hostile, and would exhaust the stack.
const DEPTH: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Number(f64),
    Open,
    Close,
    Operator(Operator),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
}

/// The value of an expression.
pub fn evaluate(expression: &str) -> Result<f64, String> {
    let tokens = tokens(expression)?;
    if tokens.is_empty() {
        return Err("Expression is empty".to_owned());
    }
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let value = parser.sum()?;
    if parser.at < tokens.len() {
        return Err("Unexpected token in expression".to_owned());
    }
    if !value.is_finite() {
        return Err("Expression result is not a finite number".to_owned());
    }
    Ok(if value == 0.0 { 0.0 } else { value })
}

fn tokens(expression: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            _ if first.is_whitespace() => (None, first.len_utf8()),
            '(' => (Some(Token::Open), 1),
            ')' => (Some(Token::Close), 1),
            '*' if rest.starts_with("**") => (Some(Token::Operator(Operator::Power)), 2),
            '+' => (Some(Token::Operator(Operator::Plus)), 1),
            '-' => (Some(Token::Operator(Operator::Minus)), 1),
            '*' => (Some(Token::Operator(Operator::Times)), 1),
            '/' => (Some(Token::Operator(Operator::Over)), 1),
            '%' => (Some(Token::Operator(Operator::Modulo)), 1),
            '0'..='9' | '.' => {
                let (number, length) = number(rest)?;
                (Some(Token::Number(number)), length)
            }
            _ => return Err(format!("Invalid character \"{first}\" in expression")),
        };
        tokens.extend(token);
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(tokens)
}

/// The number a text begins with, and its length.
fn number(text: &str) -> Result<(f64, usize), String> {
    let lower = text.get(..2).unwrap_or_default().to_ascii_lowercase();
    let radix = match lower.as_str() {
        "0x" => Some(16),
        "0b" => Some(2),
        "0o" => Some(8),
        _ => None,
    };
    if let Some(radix) = radix {
        return prefixed(text, radix);
    }
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.bytes().take_while(u8::is_ascii_digit).count()
    };
    let whole = digits(0);
    let mut length = whole;
    let mut fraction = 0;
    if text.get(length..).is_some_and(|rest| rest.starts_with('.')) {
        fraction = digits(length + 1);
        length += 1 + fraction;
    }
    let invalid = |length: usize| format!("Invalid number \"{}\"", text.get(..length).unwrap_or_default());
    if whole + fraction == 0 {
        return Err(invalid(length));
    }
    if text.get(length..).is_some_and(|rest| rest.starts_with(['e', 'E'])) {
        let sign = usize::from(text.get(length + 1..).is_some_and(|rest| rest.starts_with(['+', '-'])));
        let exponent = digits(length + 1 + sign);
        if exponent == 0 {
            return Err(format!(
                "Invalid exponent in number \"{}\"",
                text.get(..length + 1 + sign).unwrap_or_default()
            ));
        }
        length += 1 + sign + exponent;
    }
    // `1.2.3` and `1.5abc` are one mistake each, not two numbers.
    if text.get(length..).is_some_and(|rest| rest.starts_with('.')) {
        return Err(invalid(length + 1));
    }
    let value = text.get(..length).and_then(|number| number.parse().ok());
    value.map(|value| (value, length)).ok_or_else(|| invalid(length))
}

fn prefixed(text: &str, radix: u32) -> Result<(f64, usize), String> {
    let digits = text.get(2..).unwrap_or_default();
    let length = digits.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let digits = digits.get(..length).unwrap_or_default();
    let invalid = || format!("Invalid numeric literal \"{}\"", text.get(..2 + length).unwrap_or_default());
    let mut value = 0.0;
    for digit in digits.chars() {
        let digit = digit.to_digit(radix).ok_or_else(invalid)?;
        value = value * f64::from(radix) + f64::from(digit);
    }
    if digits.is_empty() { Err(invalid()) } else { Ok((value, 2 + length)) }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self, wanted: &[Operator]) -> Option<Operator> {
        match self.peek() {
            Some(Token::Operator(operator)) if wanted.contains(&operator) => {
                self.at += 1;
                Some(operator)
            }
            _ => None,
        }
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.take(&[Operator::Plus, Operator::Minus]) {
            let right = self.product()?;
            value = if operator == Operator::Plus { value + right } else { value - right };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.signed()?;
        while let Some(operator) = self.take(&[Operator::Times, Operator::Over, Operator::Modulo]) {
            let right = self.signed()?;
            value = match operator {
                Operator::Times => value * right,
                Operator::Over => value / right,
                _ => value % right,
            };
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<f64, String> {
        self.nested(|parser| match parser.take(&[Operator::Plus, Operator::Minus]) {
            Some(Operator::Minus) => Ok(-parser.signed()?),
            Some(_) => parser.signed(),
            None => parser.power(),
        })
    }

    fn power(&mut self) -> Result<f64, String> {
        let base = self.atom()?;
        if self.take(&[Operator::Power]).is_none() {
            return Ok(base);
        }
        let exponent = self.signed()?;
        Ok(base.powf(exponent))
    }

    fn atom(&mut self) -> Result<f64, String> {
        let token = self.peek().ok_or("Unexpected end of expression")?;
        self.at += 1;
        match token {
            Token::Number(value) => Ok(value),
            Token::Open => {
                let value = self.nested(Self::sum)?;
                if self.peek() != Some(Token::Close) {
                    return Err("Missing closing parenthesis".to_owned());
                }
                self.at += 1;
                Ok(value)
            }
            Token::Close | Token::Operator(_) => Err("Unexpected token in expression".to_owned()),
        }
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Result<f64, String>) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("Expression is nested deeper than {DEPTH} levels"));
        }
        let value = parse(self);
        self.depth -= 1;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expected: Result<f64, &str>) {
        assert_eq!(evaluate(expression), expected.map_err(str::to_owned), "{expression}");
    }

    #[test]
    fn values() {
        for (expression, value) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("2 ** 3 ** 2", 512.0),
            ("-2 ** 2", -4.0),
            ("(-2) ** 2", 4.0),
            ("2 ** -1", 0.5),
            ("--3 + +4", 7.0),
            ("7 % 3 - -1", 2.0),
            ("-7 % 3", -1.0),
            ("5.5 % 2", 1.5),
            ("10 / 4 / 5", 0.5),
            ("0.1 + 0.2", 0.1 + 0.2),
            (".5 + 1. + 2.5E-3", 1.5025),
            ("1e3*1E+2", 100_000.0),
            ("0x1F + 0b101 + 0o17 + 0XfF", 306.0),
            ("\t( ( 4 ) )\n", 4.0),
            ("0 * -1", 0.0),
        ] {
            check(expression, Ok(value));
        }
        assert!(evaluate("0 * -1").unwrap().is_sign_positive());
    }

    #[test]
    fn every_error_has_its_text() {
        for (expression, message) in [
            ("", "Expression is empty"),
            ("  ", "Expression is empty"),
            ("sqrt(16)", "Invalid character \"s\" in expression"),
            ("2 ^ 3", "Invalid character \"^\" in expression"),
            ("1 € 2", "Invalid character \"€\" in expression"),
            ("1 2", "Unexpected token in expression"),
            ("1 +", "Unexpected end of expression"),
            ("* 2", "Unexpected token in expression"),
            ("(1 + 2", "Missing closing parenthesis"),
            ("1)", "Unexpected token in expression"),
            ("()", "Unexpected token in expression"),
            ("0x", "Invalid numeric literal \"0x\""),
            ("0b12", "Invalid numeric literal \"0b12\""),
            ("0o8", "Invalid numeric literal \"0o8\""),
            ("1e", "Invalid exponent in number \"1e\""),
            ("1e+", "Invalid exponent in number \"1e+\""),
            (".", "Invalid number \".\""),
            ("1.2.3", "Invalid number \"1.2.\""),
            ("1 / 0", "Expression result is not a finite number"),
            ("0 / 0", "Expression result is not a finite number"),
            ("10 ** 400", "Expression result is not a finite number"),
            ("(-8) ** .5", "Expression result is not a finite number"),
        ] {
            check(expression, Err(message));
        }
    }

    #[test]
    fn hostile_nesting_is_refused() {
        for text in ["(".repeat(100_000), "-".repeat(100_000), "2**".repeat(100_000)] {
            let error = evaluate(&format!("{text}1")).unwrap_err();
            assert!(error.contains("nested deeper"), "{error}");
        }
    }
}
