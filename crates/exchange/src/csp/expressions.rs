//! Parses the expressions, formulas and programs of CSP#.

use super::parser::Parser;
use super::syntax::{Binary, Expr, Kind, Statement};
use crate::text::{Kind as Token, Parsed, nested};

fn binary(operator: Binary, a: Expr, b: Expr) -> Expr {
    let span = a.span.to(b.span);
    Expr { kind: Kind::Binary(operator, Box::new(a), Box::new(b)), span }
}

impl Parser<'_> {
    /// From loosest to tightest: `->` and `<->`, `||`, `&&`, `xor`, `U` `R` `W`, then prefix temporal operators.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        nested(self, |parser| {
            let left = parser.disjunction()?;
            if parser.takes("->") || parser.takes("=>") {
                return Ok(binary(Binary::Implies, left, parser.expression()?));
            }
            if parser.takes("<->") {
                return Ok(binary(Binary::Iff, left, parser.expression()?));
            }
            Ok(left)
        })
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        let mut left = self.conjunction()?;
        while self.takes("||") {
            left = binary(Binary::Or, left, self.conjunction()?);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let mut left = self.until()?;
        loop {
            if self.takes("&&") {
                left = binary(Binary::And, left, self.until()?);
            } else if self.takes("xor") {
                left = binary(Binary::Xor, left, self.until()?);
            } else {
                return Ok(left);
            }
        }
    }

    fn until(&mut self) -> Parsed<Expr> {
        let left = self.prefixed()?;
        let operator = match self.current().text {
            "U" => Binary::Until,
            "R" | "V" => Binary::Release,
            "W" => Binary::WeakUntil,
            _ => return Ok(left),
        };
        self.advance();
        nested(self, |parser| Ok(binary(operator, left, parser.until()?)))
    }

    fn prefixed(&mut self) -> Parsed<Expr> {
        nested(self, |parser| {
            let token = parser.current();
            let operator: fn(Box<Expr>) -> Kind = match token.text {
                "[]" => Kind::Globally,
                "<>" => Kind::Finally,
                "G" | "F" | "X"
                    if token.kind == Token::Word && !parser.follows(".") && parser.begins_operand() =>
                {
                    match token.text {
                        "G" => Kind::Globally,
                        "F" => Kind::Finally,
                        _ => Kind::Next,
                    }
                }
                _ => return parser.comparison(),
            };
            parser.advance();
            let operand = parser.prefixed()?;
            let span = token.span.to(operand.span);
            Ok(Expr { kind: operator(Box::new(operand)), span })
        })
    }

    /// Whether an operand follows the current word, so that the word is an operator.
    fn begins_operand(&self) -> bool {
        ["(", "[]", "<>", "!", "X", "G", "F"].iter().any(|sign| self.follows(sign))
            || self.peek(1).kind == Token::Word
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        let operator = match self.current().text {
            "==" => Binary::Eq,
            "!=" => Binary::Ne,
            "<" => Binary::Lt,
            "<=" => Binary::Le,
            ">" => Binary::Gt,
            ">=" => Binary::Ge,
            _ => return Ok(left),
        };
        self.advance();
        Ok(binary(operator, left, self.sum()?))
    }

    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.product()?;
        loop {
            let operator = match self.current().text {
                "+" => Binary::Add,
                "-" => Binary::Sub,
                _ => return Ok(left),
            };
            self.advance();
            left = binary(operator, left, self.product()?);
        }
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut left = self.operand()?;
        loop {
            let operator = match self.current().text {
                "*" => Binary::Mul,
                "/" => Binary::Div,
                "%" => Binary::Mod,
                _ => return Ok(left),
            };
            self.advance();
            left = binary(operator, left, self.operand()?);
        }
    }

    fn operand(&mut self) -> Parsed<Expr> {
        nested(self, |parser| {
            let token = parser.current();
            let span = token.span;
            match token.kind {
                Token::Number => {
                    let Ok(value) = token.text.parse() else {
                        return parser.refused("this number is too large");
                    };
                    parser.advance();
                    Ok(Expr { kind: Kind::Int(value), span })
                }
                Token::Word if token.text == "true" || token.text == "false" => {
                    parser.advance();
                    Ok(Expr { kind: Kind::Bool(token.text == "true"), span })
                }
                Token::Word => parser.named(),
                Token::Symbol => match token.text {
                    "(" => {
                        parser.advance();
                        let inner = parser.expression()?;
                        let span = span.to(parser.expect(")")?);
                        Ok(Expr { span, ..inner })
                    }
                    "!" | "-" => {
                        parser.advance();
                        // `![]p`: a negated temporal formula.
                        let operand = if parser.is("[]") || parser.is("<>") {
                            parser.prefixed()?
                        } else {
                            parser.operand()?
                        };
                        let span = span.to(operand.span);
                        let operand = Box::new(operand);
                        Ok(Expr {
                            kind: if token.text == "!" { Kind::Not(operand) } else { Kind::Neg(operand) },
                            span,
                        })
                    }
                    _ => parser.unexpected("an expression"),
                },
                Token::Text | Token::End => parser.unexpected("an expression"),
            }
        })
    }

    fn named(&mut self) -> Parsed<Expr> {
        let name = self.name()?;
        let mut span = name.span;
        if self.is("[") {
            let mut positions = Vec::new();
            while self.takes("[") {
                positions.push(self.expression()?);
                span = span.to(self.expect("]")?);
            }
            return Ok(Expr { kind: Kind::Item(name.text, positions), span });
        }
        if self.is("(") {
            self.advance();
            while !self.is(")") {
                self.expression()?;
                if !self.takes(",") {
                    break;
                }
            }
            span = span.to(self.expect(")")?);
            return Ok(Expr { kind: Kind::Call(name.text), span });
        }
        let mut arguments = Vec::new();
        while self.dots && self.is(".") {
            self.advance();
            self.dots = false;
            let argument = self.operand();
            self.dots = true;
            let argument = argument?;
            span = span.to(argument.span);
            arguments.push(argument);
        }
        Ok(Expr { kind: Kind::Name(name.text, arguments), span })
    }

    /// `{ x = 1; if (c) { … } else { … } }`
    pub(super) fn program(&mut self) -> Parsed<Vec<Statement>> {
        nested(self, |parser| {
            parser.expect("{")?;
            let mut statements = Vec::new();
            while !parser.is("}") {
                parser.statement(&mut statements)?;
            }
            parser.expect("}")?;
            Ok(statements)
        })
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        if self.takes(";") {
            return Ok(());
        }
        if self.takes("if") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            let yes = self.block()?;
            let no = if self.takes("else") { self.block()? } else { Vec::new() };
            statements.push(Statement::If(condition, yes, no));
            return Ok(());
        }
        if self.takes("while") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            let body = self.block()?;
            statements.push(Statement::While(condition, body));
            return Ok(());
        }
        if self.takes("var") {
            let own = self.name()?;
            self.expect("=")?;
            let value = self.expression()?;
            self.expect(";")?;
            statements.push(Statement::Local(own, value));
            return Ok(());
        }
        let target = self.named()?;
        let sign = self.advance();
        let one = Expr { kind: Kind::Int(1), span: sign.span };
        let value = match sign.text {
            "=" => self.expression()?,
            "++" => binary(Binary::Add, target.clone(), one),
            "--" => binary(Binary::Sub, target.clone(), one),
            "+=" => binary(Binary::Add, target.clone(), self.expression()?),
            "-=" => binary(Binary::Sub, target.clone(), self.expression()?),
            _ => return self.refused("only assignments, `if` and `while` are read in programs"),
        };
        if !self.is("}") {
            self.expect(";")?;
        }
        statements.push(Statement::Assign(target, value));
        Ok(())
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        if self.is("{") {
            return self.program();
        }
        let mut statements = Vec::new();
        nested(self, |parser| parser.statement(&mut statements))?;
        Ok(statements)
    }
}
