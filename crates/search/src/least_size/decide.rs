//! "Is there a tree of size at most s for this part?"

use super::dominance::Dominance;
use super::ground::Ground;
use super::memo::{Known, Question, SizeMemo, Verdict};
use super::one_rule::Room;
use super::sides::Share;
use super::terms::{Terms, TermsId, TermsList};
use super::unlike_pairs::{Closest, UnlikePairs};
use super::{SizeRequest, SizeStats};
use crate::limits::{Clock, Stopped};
use crate::mutants::{Mutant, off};
use crate::options::SizeOptions;
use crate::sets::Set;
use exactree_model::Weight;

/// One search: the ground, what is remembered, what is counted.
pub struct Decision<'a, const W: usize> {
    pub(super) ground: &'a Ground<W>,
    pub(super) options: &'a SizeOptions,
    pub(super) clock: &'a Clock<'a>,
    memo: SizeMemo<W>,
    dominance: Dominance<W>,
    pub(super) terms: TermsList,
    pub(super) room: Room,
    pub(super) most_nodes: u64,
    closest: Closest,
    pub(super) stats: SizeStats,
}

impl<'a, const W: usize> Decision<'a, W> {
    pub fn new(
        ground: &'a Ground<W>,
        options: &'a SizeOptions,
        clock: &'a Clock<'a>,
        memory_limit: Option<usize>,
    ) -> Self {
        Decision {
            ground,
            options,
            clock,
            memo: SizeMemo::new(memory_limit.map(|limit| limit / 4 * 3)),
            dominance: Dominance::new(memory_limit.map(|limit| limit / 4)),
            terms: TermsList::default(),
            room: Room::default(),
            most_nodes: u64::MAX,
            closest: if options.unlike_pairs { Closest::of(ground) } else { Closest::none() },
            stats: SizeStats::default(),
        }
    }

    pub fn stats(self) -> SizeStats {
        SizeStats {
            memo_entries: self.memo.len() as u64,
            memo_bytes: (self.memo.bytes() + self.dominance.bytes()) as u64,
            memo_evicted: self.memo.evicted + self.dominance.evicted,
            ..self.stats
        }
    }

    /// What a request allows besides nodes.
    pub(super) fn asked(&mut self, request: &SizeRequest) -> (TermsId, Weight) {
        let limit = |&label: &u32| {
            let limits = request.leaves.iter().filter(|&&(class, _)| class == label);
            limits.map(|&(_, most)| most).min().unwrap_or(u32::MAX)
        };
        let leaves: Box<[u32]> = self.ground.labels.iter().map(limit).collect();
        let limited = leaves.iter().any(|&most| most < u32::MAX);
        let leaves = if limited { leaves } else { Box::default() };
        (self.terms.id(Terms { depth: request.depth, leaves }), request.errors)
    }

    /// Whether a tree of at most `size` nodes serves the part.
    pub fn smallest(
        &mut self,
        set: &Set<W>,
        size: u32,
        request: &SizeRequest,
    ) -> Result<bool, Stopped> {
        let (terms, errors) = self.asked(request);
        let verdict = self.fits(set, Share { size, terms, errors })?;
        Ok(matches!(verdict, Verdict::Served(_)))
    }

    /// Whether a tree within a share serves the part.
    pub(super) fn fits(&mut self, set: &Set<W>, share: Share) -> Result<Verdict<W>, Stopped> {
        let verdict = self.decided(set, share)?;
        Ok(match verdict {
            Verdict::Served(_) if !self.options.wide => Verdict::Served(*set),
            Verdict::Refused(_, needs) if !self.options.cores => Verdict::Refused(*set, needs),
            verdict => verdict,
        })
    }

    fn decided(&mut self, set: &Set<W>, share: Share) -> Result<Verdict<W>, Stopped> {
        let Share { size, terms, errors } = share;
        let unlike = match self.leaf(set, terms, errors) {
            Verdict::Refused(core, needs) => Known::unlike(core, needs),
            served => return Ok(served),
        };
        // A tree of depth d has less than 2^d nodes.
        let depth = self.terms.get(terms).depth;
        let size = if depth < 32 { size.min((1 << depth) - 1) } else { size };
        if size == 0 {
            return Ok(Verdict::Refused(unlike.core, unlike.needs));
        }
        if errors == 0
            && self.options.class_count
            && let Some(core) = self.too_many_classes(set, size, terms)
        {
            self.stats.class_count += 1;
            return Ok(Verdict::Refused(core, 1));
        }
        let terms = self.terms.within(terms, size);
        let share = Share { size, terms, errors };
        if self.for_one_rule(share) {
            return Ok(self.one_rule(set));
        }
        let free = self.terms.get(terms).leaves.is_empty();
        if size == 1 && free {
            return Ok(self.one_rule_with_errors(set, errors));
        }
        self.remembered(set, share, unlike)
    }

    /// Looks the part up, or one inside or around it; or searches.
    fn remembered(
        &mut self,
        set: &Set<W>,
        share: Share,
        unlike: Known<W>,
    ) -> Result<Verdict<W>, Stopped> {
        let Share { size, terms, errors } = share;
        let question = Question { set: *set, terms, errors };
        self.stats.memo_lookups += 1;
        let mut known = self.memo.get(&question).unwrap_or(unlike);
        if known.settles(size) {
            self.stats.memo_hits += 1;
            return Ok(known.verdict(size));
        }
        self.clock.check()?;
        if !self.follows(&question, size, &mut known) {
            self.search(&question, size, &mut known)?;
        }
        if self.options.size_memo {
            self.memo.set(question, known);
        }
        Ok(known.verdict(size))
    }

    /// Whether the answer follows from a part inside or around.
    fn follows(&mut self, question: &Question<W>, size: u32, known: &mut Known<W>) -> bool {
        if !self.options.dominance {
            return false;
        }
        let &Question { set, terms, errors } = question;
        if let Some((core, needs)) = self.dominance.too_hard(&set, (terms, size), errors) {
            (known.lower, known.core, known.needs) = (size + 1, core, needs);
        } else if let Some(wide) = self.dominance.easy_enough(&set, (terms, size), errors) {
            (known.upper, known.wide) = (size, wide);
        } else {
            return false;
        }
        self.stats.dominance += 1;
        true
    }

    /// Goes up from the known lower bound until a tree is found or `size` is
    /// refuted.
    fn search(
        &mut self,
        question: &Question<W>,
        size: u32,
        known: &mut Known<W>,
    ) -> Result<(), Stopped> {
        if self.stats.nodes == self.most_nodes {
            return Err(Stopped);
        }
        self.stats.nodes += 1;
        let &Question { set, terms, errors } = question;
        let (mut node, mut pairs) = (None, None);
        while !known.settles(size) {
            let s = known.lower;
            if s < size && self.follows(question, s, known) {
                continue;
            }
            let share = Share { size: s, terms, errors };
            let verdict = if let Some(verdict) = self.by_runs(&set, share)? {
                verdict
            } else if let Some(core) = self.by_pairs(question, s, &mut pairs) {
                Verdict::Refused(core, 1)
            } else {
                let node = node.get_or_insert_with(|| self.node(question));
                self.root(node, s)?.verdict()
            };
            self.learn(question, s, verdict, known);
        }
        Ok(())
    }

    /// Items whose unlike pairs need more nodes; a tree that may err need not tell
    /// them apart.
    fn by_pairs(
        &mut self,
        question: &Question<W>,
        size: u32,
        pairs: &mut Option<UnlikePairs>,
    ) -> Option<Set<W>> {
        if question.errors > 0 {
            return None;
        }
        let pairs = pairs.get_or_insert_with(|| self.closest.within(&question.set));
        let core = pairs.not_told_apart(size)?;
        self.stats.unlike_pairs += 1;
        Some(core)
    }

    /// Whether one or two nodes serve a part, where that is decided without
    /// trying every root.
    fn by_runs(&mut self, set: &Set<W>, share: Share) -> Result<Option<Verdict<W>>, Stopped> {
        if share.size > 2 || !self.terms.get(share.terms).leaves.is_empty() {
            return Ok(None);
        }
        if share.size == 1 {
            return self.fits(set, share).map(Some);
        }
        let two = share.errors == 0 && self.terms.get(share.terms).depth >= 2;
        Ok(if two && self.options.two_nodes { self.two_nodes(set) } else { None })
    }

    /// Adds what was found about trees of s nodes, for parts inside and around too.
    fn learn(
        &mut self,
        &Question { set, terms, errors }: &Question<W>,
        s: u32,
        verdict: Verdict<W>,
        known: &mut Known<W>,
    ) {
        match verdict {
            Verdict::Served(wide) => {
                let wide = if self.options.wide { wide } else { set };
                (known.upper, known.wide) = (s, wide);
                if self.options.dominance {
                    self.dominance.add_easy(wide, (terms, s), errors);
                }
            }
            Verdict::Refused(core, needs) => {
                let core = if self.options.cores { core } else { set };
                let lower = s + 1 + off(Mutant::SizeMemo) as u32;
                (known.lower, known.core, known.needs) = (lower, core, needs);
                if self.options.dominance {
                    self.dominance.add_hard(core, (terms, s), needs);
                }
            }
        }
    }
}
