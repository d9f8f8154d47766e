//! Fairness expressions, and the events that they share with formulas.
//!
//! `&` and `|` combine requirements here, `&&` and `||` combine expressions; using one for the other is a slip. Chains
//! are lists, so they may have any length.

use super::{Parser, is_reserved};
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::syntax::{Event, Fair, FairKind, FairWord, ItemKind, Name, Party};

/// The words that are applied to something.
pub(super) const WORDS: &[&str] = &["weak", "strong", "unconditional", "justice", "compassion"];

/// The words that are not applied.
pub(super) const PLAIN: &[&str] = &["global", "none"];

impl Parser<'_> {
    /// The rest of a `fairness` declaration.
    pub(super) fn fairness(&mut self) -> Option<ItemKind> {
        let next = self.peek(1);
        let word =
            self.current().kind == Kind::Word && !is_reserved(self.word()) && !WORDS.contains(&self.word());
        let named = self.text_of(next) == ":" || word && WORDS.contains(&self.text_of(next));
        let mut name = None;
        if named {
            name = Some(self.name_except(&[WORDS, PLAIN])?);
            self.expect(":");
        }
        let fair = self.fair()?;
        self.semicolon();
        Some(ItemKind::Fairness { name, fair })
    }

    /// `a & b | c`
    pub(super) fn fair(&mut self) -> Option<Fair> {
        self.fair_list("|", "||", Self::fair_conjunction, FairKind::Or)
    }

    fn fair_conjunction(&mut self) -> Option<Fair> {
        self.fair_list("&", "&&", Self::fair_one, FairKind::And)
    }

    /// One or more, separated by `separator`; the operator of expressions in its place is a slip.
    fn fair_list(
        &mut self,
        separator: &str,
        slip: &str,
        element: fn(&mut Self) -> Option<Fair>,
        join: fn(Vec<Fair>) -> FairKind,
    ) -> Option<Fair> {
        let mut list = vec![element(self)?];
        loop {
            let token = self.current();
            let slipped = !self.lost && (self.at(slip) || (separator == "&" && self.at(",")));
            if slipped {
                let found = self.describe(token);
                let message = format!("expected `{separator}`, found {found}");
                self.report(Diagnostic::error(token.span, message, "fairness is combined with `&` and `|`"));
                self.advance();
            } else if !self.eat(separator) {
                break;
            }
            list.push(element(self)?);
        }
        if list.len() == 1 {
            return list.pop();
        }
        let span = list[0].span.to(self.previous);
        Some(Fair { kind: join(list), span })
    }

    fn fair_one(&mut self) -> Option<Fair> {
        self.nested(Self::fair_one_inside).flatten()
    }

    fn fair_one_inside(&mut self) -> Option<Fair> {
        let start = self.current().span;
        if self.lost {
            return None;
        }
        let kind = match self.word() {
            "(" => {
                self.advance();
                let fair = self.fair()?;
                self.expect(")");
                return Some(fair);
            }
            "weak" => self.fair_word(FairWord::Weak)?,
            "strong" => self.fair_word(FairWord::Strong)?,
            "unconditional" => self.fair_word(FairWord::Unconditional)?,
            "justice" => {
                self.advance();
                self.expect("(");
                let predicate = self.expression();
                self.expect(")");
                FairKind::Justice(predicate)
            }
            "compassion" => {
                self.advance();
                self.expect("(");
                let when = self.expression();
                self.expect(",");
                let then = self.expression();
                self.expect(")");
                FairKind::Compassion(when, then)
            }
            "for" => {
                self.advance();
                let binder = self.binder("in")?;
                self.expect(":");
                FairKind::For(binder, Box::new(self.fair_one()?))
            }
            "global" => {
                self.advance();
                FairKind::Global
            }
            "none" => {
                self.advance();
                FairKind::None
            }
            _ => self.fair_name()?,
        };
        Some(Fair { kind, span: start.to(self.previous) })
    }

    /// What follows `weak`, `strong` or `unconditional`. `processes` is a keyword only here, and only if it is not
    /// the beginning of an event.
    fn fair_word(&mut self, word: FairWord) -> Option<FairKind> {
        self.advance();
        if self.eat("all") {
            return Some(FairKind::All(word));
        }
        if self.at("processes") && !["[", ".", "+", "("].iter().any(|next| self.then(next)) {
            self.advance();
            return Some(FairKind::Processes(word));
        }
        Some(FairKind::Of(word, self.event()?))
    }

    /// The name of a fairness declaration, or a word misspelt.
    fn fair_name(&mut self) -> Option<FairKind> {
        let next = self.peek(1);
        let applied = match (next.kind, self.text_of(next)) {
            (_, "all" | "(") => true,
            (Kind::Word, word) => !is_reserved(word),
            _ => false,
        };
        if applied {
            match self.keyword(WORDS, "fairness word") {
                Some("weak") => return self.fair_word(FairWord::Weak),
                Some("strong") => return self.fair_word(FairWord::Strong),
                Some("unconditional") => return self.fair_word(FairWord::Unconditional),
                Some(_) => {
                    self.lost = true;
                    return None;
                }
                None => {}
            }
        }
        if self.current().kind != Kind::Word || is_reserved(self.word()) {
            let help = "fairness is `weak`, `strong` or `unconditional` with an action or process, `justice (p)`, \
                        `compassion (p, q)`, `global`, `none` or the name of a fairness declaration";
            self.unexpected_with("fairness", Some(help));
            return None;
        }
        self.name_called("a name").map(FairKind::Named)
    }

    /// `any`, or `P[1].try + Q.give(3)`.
    pub(super) fn event(&mut self) -> Option<Event> {
        let start = self.current().span;
        if self.eat("any") {
            return Some(Event { parties: Vec::new(), arguments: None, span: start });
        }
        let mut parties = vec![self.party()?];
        while self.eat("+") {
            parties.push(self.party()?);
        }
        let mut arguments = None;
        if self.eat("(") {
            arguments = Some(self.separated(Self::expression));
            self.expect(")");
        }
        Some(Event { parties, arguments, span: start.to(self.previous) })
    }

    fn party(&mut self) -> Option<Party> {
        let process = self.name_called("a process or an action")?;
        let mut indices = Vec::new();
        while self.eat("[") {
            indices.push(self.expression());
            while self.another_index() {
                indices.push(self.expression());
            }
            self.expect("]");
        }
        let mut label = None;
        if self.eat(".") {
            let step = Name { text: "stay".to_owned(), span: self.current().span };
            // The one step whose name is a reserved word.
            let stutters = process.text == "stuttering" && self.eat("stay");
            label = Some(if stutters { step } else { self.name_called("a label")? });
        }
        Some(Party { process, indices, label })
    }
}
