//! Decides which comment belongs to which node.
//!
//! Comments are collected while tokens are read, and attached when nodes begin and end. At the beginning of an item,
//! member or statement all collected comments stand *before* it. At its end, the comments inside it are added to those,
//! and one that follows on the same line stands *after* it. What is left at a closing brace or at the end of the file
//! is *trailing*. So no comment is lost, and none moves past a neighbour.

use super::Parser;
use crate::lexer::Token;
use crate::syntax::{Comment, Comments};

/// The comments of a node that are known when it begins.
pub(super) struct Lead {
    comments: Comments,
    /// The inner comments of the node around it.
    around: Vec<Comment>,
}

impl Parser<'_> {
    pub(super) fn keep_comment(&mut self, token: Token) {
        let text = self.text_of(token)[2..].trim_end().to_owned();
        // A comment at the start of a file or block follows nothing, so it does not keep an empty line before it.
        let spaced = token.newlines > 1;
        self.comments.push_back((Comment { text, spaced }, token));
    }

    /// At the beginning of a node: the comments before it. `first` if nothing precedes it in its block or file.
    pub(super) fn lead(&mut self, first: bool) -> Lead {
        let spaced = self.current().newlines > 1;
        let before = self.comments_before_current(first);
        let spaced = spaced && !(first && before.is_empty());
        let around = std::mem::take(&mut self.inner);
        Lead { comments: Comments { before, after: None, spaced }, around }
    }

    /// At the end of a node: the comments inside it and after it on its last line.
    pub(super) fn attach_comments(&mut self, lead: Lead) -> Comments {
        let Lead { mut comments, around } = lead;
        comments.before.append(&mut self.inner);
        self.inner = around;
        while let Some((comment, token)) = self.comments.front() {
            let inside = token.span.start < self.previous.end;
            let same_line = token.newlines == 0 && token.span.start < self.current().span.start;
            if inside {
                comments.before.push(Comment { text: comment.text.clone(), spaced: false });
            } else if same_line && comments.after.is_none() {
                comments.after = Some(comment.text.clone());
            } else {
                break;
            }
            self.comments.pop_front();
        }
        comments
    }

    /// At a closing brace or the end of the file: the comments before it.
    pub(super) fn trailing(&mut self, first: bool) -> Vec<Comment> {
        self.comments_before_current(first)
    }

    /// At an opening brace: the comments between the beginning of the node and the brace. They belong to the node, not
    /// to the first statement of the block; [`Parser::keep_inner`] adds them when the block is over.
    pub(super) fn comments_before_brace(&mut self) -> Vec<Comment> {
        let mut comments = self.comments_before_current(false);
        for comment in &mut comments {
            comment.spaced = false;
        }
        comments
    }

    pub(super) fn keep_inner(&mut self, comments: Vec<Comment>) {
        self.inner.extend(comments);
    }

    fn comments_before_current(&mut self, first: bool) -> Vec<Comment> {
        let limit = self.current().span.start;
        let count = self.comments.iter().take_while(|(_, token)| token.span.start < limit).count();
        let mut comments: Vec<Comment> = self.comments.drain(..count).map(|(comment, _)| comment).collect();
        if let (true, Some(comment)) = (first, comments.first_mut()) {
            comment.spaced = false;
        }
        comments
    }
}
