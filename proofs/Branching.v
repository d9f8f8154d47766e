(** * Labels of CTL formulas

    For the operators [EX], [EU] and [EG] over fair runs: if a set [T] of states satisfies premises about single states
    and the steps that leave them, it is exactly the set where the formula is true. For [EG] the refutation trees of
    [Refutation.v] show that no fair run stays outside [T], and fair components show that one stays inside.

    "No run" needs no more than a doubly negated fact; "some run" is a run that is constructed. *)

From Coq Require Import Arith Lia List.
Import ListNotations.
From Fairly Require Import Runs Product.
From Fairly Require Refutation.

Section Branching.

Variables State Step : Type.
Variables origin goal : Step -> State.
Variable genuine : Step -> Prop.
Variable alternatives : list (assumption Step).

Notation fair := (Product.fair State Step origin genuine alternatives).

(** ** What the operators mean *)

Definition steps_on (w : nat -> Step) : Prop := forall n, genuine (w n) /\ goal (w n) = origin (w (S n)).
Definition fair_run (s : State) (w : nat -> Step) : Prop := origin (w 0) = s /\ steps_on w /\ fair w.

Definition has_fair_run (s : State) : Prop := exists w, fair_run s w.
Definition EX (a : State -> Prop) (s : State) : Prop := exists w, fair_run s w /\ a (origin (w 1)).
Definition EG (a : State -> Prop) (s : State) : Prop := exists w, fair_run s w /\ forall n, a (origin (w n)).
Definition EU (a b : State -> Prop) (s : State) : Prop :=
  exists w k, fair_run s w /\ b (origin (w k)) /\ forall j, j < k -> a (origin (w j)).

(** ** A finite beginning does not matter *)

Definition after (k : nat) (w : nat -> Step) : nat -> Step := fun n => w (k + n).
Definition before (e : Step) (w : nat -> Step) : nat -> Step := fun n => match n with 0 => e | S n => w n end.

Lemma often_after : forall P k, infinitely_often P <-> infinitely_often (fun n => P (k + n)).
Proof.
  intros P k. split; intros H [n Hn]; apply H.
  - exists (k + n). intros m Hm. replace m with (k + (m - k)) by lia. apply Hn. lia.
  - exists n. intros m Hm. apply Hn. lia.
Qed.

Lemma fair_after : forall k w, fair w <-> fair (after k w).
Proof.
  intros k w. split; intros [f [Hf [Hreq Hglobal]]]; exists f; (split; [exact Hf | split]).
  - intros q Hq Hwhen. apply (often_after (fun n => then_ _ q (w n)) k), (Hreq q Hq).
    apply (often_after (fun n => when_ _ q (w n)) k). exact Hwhen.
  - intros Hg e He Hvisit. apply (often_after (fun n => w n = e) k), (Hglobal Hg e He).
    apply (often_after (fun n => origin (w n) = origin e) k). exact Hvisit.
  - intros q Hq Hwhen. apply (often_after (fun n => then_ _ q (w n)) k), (Hreq q Hq).
    apply (often_after (fun n => when_ _ q (w n)) k) in Hwhen. exact Hwhen.
  - intros Hg e He Hvisit. apply (often_after (fun n => w n = e) k), (Hglobal Hg e He).
    apply (often_after (fun n => origin (w n) = origin e) k) in Hvisit. exact Hvisit.
Qed.

Lemma run_after : forall k s w, fair_run s w -> fair_run (origin (w k)) (after k w).
Proof.
  intros k s w [_ [Hsteps Hfair]]. split; [unfold after; f_equal; f_equal; lia | split].
  - intro n. unfold after. replace (k + S n) with (S (k + n)) by lia. apply Hsteps.
  - now apply fair_after.
Qed.

Lemma run_before : forall e w, genuine e -> fair_run (goal e) w -> fair_run (origin e) (before e w).
Proof.
  intros e w He [H0 [Hsteps Hfair]]. split; [reflexivity | split].
  - intros [| n]; simpl; [now split | apply Hsteps].
  - apply (fair_after 1). exact Hfair.
Qed.

(** ** [EX] *)

Theorem next_label : forall a T : State -> Prop,
  (forall s, T s <-> exists e, genuine e /\ origin e = s /\ a (goal e) /\ has_fair_run (goal e)) ->
  forall s, T s <-> EX a s.
Proof.
  intros a T HT s. rewrite HT. split.
  - intros [e [He [<- [Ha [w Hw]]]]]. exists (before e w). split; [now apply run_before |].
    destruct Hw as [H0 _]. simpl. now rewrite H0.
  - intros [w [Hw Ha]]. destruct (Hw) as [H0 [Hsteps _]]. exists (w 0). destruct (Hsteps 0) as [Hg E].
    rewrite E. repeat split; auto. exists (after 1 w). now apply (run_after 1 s).
Qed.

(** ** [EU]: numbers that become smaller *)

Theorem until_label : forall (a b T : State -> Prop) (number : State -> nat),
  (forall s, b s -> has_fair_run s -> T s) ->
  (forall s, T s -> number s = 0 -> b s /\ has_fair_run s) ->
  (forall s, T s -> 0 < number s ->
    a s /\ exists e, genuine e /\ origin e = s /\ T (goal e) /\ number (goal e) < number s) ->
  (forall e, genuine e -> a (origin e) -> T (goal e) -> T (origin e)) ->
  forall s, T s <-> EU a b s.
Proof.
  intros a b T number Hgoal Hzero Hsmaller Hclosed s. split.
  - remember (number s) as n eqn:En. revert s En. induction n as [n IH] using lt_wf_ind. intros s En HT.
    destruct (Nat.eq_dec n 0) as [-> | Hn].
    + destruct (Hzero s HT (eq_sym En)) as [Hb [w Hw]]. exists w, 0. destruct Hw as [H0 Hw].
      repeat split; try apply Hw; try rewrite H0; auto. intros j Hj. lia.
    + destruct (Hsmaller s HT) as [Ha [e [He [<- [HT' Hlt]]]]]; [lia |].
      destruct (IH (number (goal e)) ltac:(lia) (goal e) eq_refl HT') as [w [k [Hw [Hb Hk]]]].
      exists (before e w), (S k). split; [now apply run_before | split; [exact Hb |]].
      intros [| j] Hj; simpl; [exact Ha | apply Hk; lia].
  - intros [w [k [Hw [Hb Ha]]]]. revert s w Hw Hb Ha. induction k as [| k IH]; intros s w Hw Hb Ha.
    + pose proof (run_after 0 s w Hw) as Hrun. destruct Hw as [H0 _]. rewrite H0 in *.
      apply Hgoal; [exact Hb | now exists (after 0 w)].
    + destruct (Hw) as [<- [Hsteps _]]. destruct (Hsteps 0) as [He E].
      apply Hclosed; [exact He | apply (Ha 0); lia |]. rewrite E.
      apply (IH (origin (w 1)) (after 1 w)); [now apply (run_after 1 (origin (w 0))) | exact Hb |].
      intros j Hj. apply Ha. lia.
Qed.

(** ** [EG], from above: no fair run stays outside [T] *)

Definition passes (f : assumption Step) : Refutation.tree State Step -> Step -> Prop :=
  Refutation.passes State Step origin goal 0 (fun _ _ => False) (length (requirements _ f))
    (fun i e => match nth_error (requirements _ f) i with Some q => when_ _ q e | None => False end)
    (fun i e => match nth_error (requirements _ f) i with Some q => then_ _ q e | None => False end)
    State Step (global _ f) genuine origin (fun s => s) (fun e => e).

Theorem globally_above : forall a T : State -> Prop,
  (forall e, genuine e -> a (origin e) -> ~ T (origin e) -> ~ T (goal e)) ->
  (forall f, In f alternatives -> exists t, forall e,
    genuine e -> a (origin e) -> ~ T (origin e) -> a (goal e) -> passes f t e) ->
  forall s, EG a s -> ~ ~ T s.
Proof.
  intros a T Hout Htree s [w [[H0 [Hsteps [f [Hf [Hreq Hglobal]]]]] Ha]] HT.
  destruct (Htree f Hf) as [t Ht].
  assert (Houtside : forall n, ~ T (origin (w n))).
  { induction n as [| n IH]; [now rewrite H0 |]. destruct (Hsteps n) as [He E]. rewrite <- E. now apply Hout. }
  apply (Refutation.no_path_passes State Step origin goal 0 (fun _ _ => False) (length (requirements _ f))
    (fun i e => match nth_error (requirements _ f) i with Some q => when_ _ q e | None => False end)
    (fun i e => match nth_error (requirements _ f) i with Some q => then_ _ q e | None => False end)
    State Step (global _ f) genuine origin (fun s => s) (fun e => e) t w).
  - intro n. apply Hsteps.
  - split.
    + intros i Hi Hwhen. destruct (nth_error (requirements _ f) i) as [q |] eqn:Eq.
      * apply (Hreq q); [eapply nth_error_In; exact Eq | exact Hwhen].
      * apply nth_error_None in Eq. lia.
    + exact Hglobal.
  - intros k Hk. lia.
  - exists 0. intros n _. destruct (Hsteps n) as [He E]. apply Ht; auto. rewrite E. apply Ha.
Qed.

(** ** [EG], from below: fair components

    A walk is a list of steps that follow each other, from one state to another. *)

Fixpoint walk (F : list Step) (s : State) (l : list Step) (t : State) : Prop :=
  match l with
  | [] => s = t
  | e :: l => In e F /\ origin e = s /\ walk F (goal e) l t
  end.

Lemma walk_app : forall F l m s t u, walk F s l t -> walk F t m u -> walk F s (l ++ m) u.
Proof.
  intros F l. induction l as [| e l IH]; intros m s t u Hl Hm; simpl in *; [now subst |].
  destruct Hl as [He [Hs Hl]]. repeat split; auto. eapply IH; eauto.
Qed.

Lemma walk_in : forall F l s t e, walk F s l t -> In e l -> In e F.
Proof.
  intros F l. induction l as [| x l IH]; intros s t e H Hin; [destruct Hin |].
  destruct H as [Hx [_ H]]. destruct Hin as [<- | Hin]; eauto.
Qed.

(** The edges of a fair component: connected, in [a], and fair by an alternative. *)
Record fair_component (a : State -> Prop) (f : assumption Step) (F : list Step) : Prop := {
  some_edge : F <> [];
  are_steps : forall e, In e F -> genuine e /\ a (origin e);
  connected : forall d e, In d F -> In e F -> exists l, walk F (goal d) l (origin e);
  met : forall q, In q (requirements _ f) ->
    (forall e, In e F -> ~ when_ _ q e) \/ exists e, In e F /\ then_ _ q e;
  covered : global _ f -> forall d e, In d F -> genuine e -> origin e = origin d -> In e F
}.

(** How the judge sees that edges are connected: two numbers for each state they touch, 0 only at one state [r]. Along some
    edge the first number becomes smaller, and against some edge the second. *)
Lemma numbers_connect : forall (F : list Step) (r : State) (down up : State -> nat),
  (forall d, In d F -> forall s, s = origin d \/ s = goal d ->
    (down s = 0 -> s = r) /\ (0 < down s -> exists e, In e F /\ origin e = s /\ down (goal e) < down s) /\
    (up s = 0 -> s = r) /\ (0 < up s -> exists e, In e F /\ goal e = s /\ up (origin e) < up s)) ->
  forall d e, In d F -> In e F -> exists l, walk F (goal d) l (origin e).
Proof.
  intros F r down up H d e Hd He.
  assert (Hdown : forall n c s, In c F -> s = origin c \/ s = goal c -> down s = n -> exists l, walk F s l r).
  { induction n as [n IH] using lt_wf_ind. intros c s Hc Hs En. destruct (H c Hc s Hs) as [Hr [Hless _]].
    destruct (Nat.eq_dec n 0) as [-> | Hn]; [exists []; now apply Hr |].
    destruct Hless as [x [Hx [Ex Hlt]]]; [lia |].
    destruct (IH (down (goal x)) ltac:(lia) x (goal x) Hx (or_intror eq_refl) eq_refl) as [l Hl].
    exists (x :: l). simpl. auto. }
  assert (Hup : forall n c s, In c F -> s = origin c \/ s = goal c -> up s = n -> exists l, walk F r l s).
  { induction n as [n IH] using lt_wf_ind. intros c s Hc Hs En. destruct (H c Hc s Hs) as [_ [_ [Hr Hless]]].
    destruct (Nat.eq_dec n 0) as [-> | Hn]; [exists []; symmetry; now apply Hr |].
    destruct Hless as [x [Hx [Ex Hlt]]]; [lia |].
    destruct (IH (up (origin x)) ltac:(lia) x (origin x) Hx (or_introl eq_refl) eq_refl) as [l Hl].
    exists (l ++ [x]). eapply walk_app; [exact Hl | simpl; auto]. }
  destruct (Hdown _ d (goal d) Hd (or_intror eq_refl) eq_refl) as [l Hl].
  destruct (Hup _ e (origin e) He (or_introl eq_refl) eq_refl) as [m Hm].
  exists (l ++ m). eapply walk_app; eauto.
Qed.

(** A closed walk through all edges of a fair component. *)
Lemma tour : forall a f F, fair_component a f F -> forall c, In c F ->
  exists l, l <> [] /\ walk F (origin c) l (origin c) /\ forall e, In e F -> In e l.
Proof.
  intros a f F H c Hc.
  assert (Hpart : forall part, incl part F ->
    exists l d, In d F /\ walk F (origin c) (l ++ [d]) (goal d) /\ incl part (l ++ [d])).
  { induction part as [| e part IH]; intro Hpart.
    - exists [], c. repeat split; simpl; auto. intros x [].
    - destruct IH as [l [d [Hd [Hl Hincl]]]]; [intros x Hx; apply Hpart; now right |].
      assert (He : In e F) by (apply Hpart; now left).
      destruct (connected _ _ _ H d e Hd He) as [m Hm].
      exists ((l ++ [d]) ++ m), e. split; [exact He | split].
      + eapply walk_app; [eapply walk_app; [exact Hl | exact Hm] | simpl; auto].
      + intros x [<- | Hx]; apply in_or_app; [right; now left | left; apply in_or_app; left; now apply Hincl]. }
  destruct (Hpart F (incl_refl F)) as [l [d [Hd [Hl Hincl]]]].
  destruct (connected _ _ _ H d c Hd Hc) as [m Hm].
  exists ((l ++ [d]) ++ m). split; [destruct l; discriminate | split].
  - eapply walk_app; [exact Hl | exact Hm].
  - intros e He. apply in_or_app. left. now apply Hincl.
Qed.

Lemma walk_nth : forall F l s t x n, walk F s l t -> S n < length l -> goal (nth n l x) = origin (nth (S n) l x).
Proof.
  intros F l. induction l as [| e l IH]; intros s t x n H Hn; simpl in Hn; [lia |].
  destruct H as [_ [_ H]]. destruct n as [| n].
  - destruct l as [| e' l]; simpl in *; [lia |]. symmetry. apply H.
  - simpl. apply (IH (goal e) t x n H). lia.
Qed.

Lemma walk_last : forall F l s t x, walk F s l t -> l <> [] -> goal (nth (length l - 1) l x) = t.
Proof.
  intros F l. induction l as [| e l IH]; intros s t x H Hl; [contradiction |].
  destruct H as [_ [_ H]]. destruct l as [| e' l]; simpl in *; [exact H |].
  specialize (IH (goal e) t x H ltac:(discriminate)). simpl in IH. now rewrite Nat.sub_0_r in IH.
Qed.

(** The run that repeats a closed walk for ever. *)
Lemma round_and_round : forall F l s x, walk F s l s -> l <> [] ->
  let w := fun n => nth (n mod length l) l x in
  origin (w 0) = s /\
  (forall n, In (w n) l /\ goal (w n) = origin (w (S n))) /\
  forall e, In e l -> infinitely_often (fun n => w n = e).
Proof.
  intros F l s x Hwalk Hl w.
  assert (HL : length l <> 0) by (destruct l; [contradiction | discriminate]).
  assert (H0 : origin (w 0) = s).
  { unfold w. rewrite Nat.mod_0_l by exact HL. destruct l as [| e l]; [contradiction |].
    destruct Hwalk as [_ [Hs _]]. exact Hs. }
  split; [exact H0 | split].
  - intro n. pose proof (Nat.mod_upper_bound n (length l) HL) as Hn. split; [now apply nth_In |].
    destruct (Nat.eq_dec (S (n mod length l)) (length l)) as [Hlast | Hlast].
    + replace (w (S n)) with (w 0).
      * rewrite H0. unfold w. replace (n mod length l) with (length l - 1) by lia. now apply (walk_last F l s s).
      * unfold w. f_equal. rewrite Nat.mod_0_l by exact HL. symmetry. apply Nat.mod_divide; [exact HL |].
        exists (S (n / length l)). rewrite (Nat.div_mod n (length l) HL) at 1. lia.
    + replace (w (S n)) with (nth (S (n mod length l)) l x); [apply (walk_nth F l s s); [exact Hwalk | lia] |].
      unfold w. f_equal. rewrite (Nat.div_mod n (length l) HL) at 2.
      rewrite <- Nat.add_succ_r, Nat.add_comm, Nat.mul_comm, Nat.mod_add by exact HL. symmetry. apply Nat.mod_small. lia.
  - intros e He [n Hn]. destruct (In_nth l e x He) as [i [Hi E]].
    apply (Hn (i + n * length l)); [destruct (length l); [lia | nia] |].
    unfold w. rewrite Nat.mod_add by exact HL. now rewrite Nat.mod_small.
Qed.

Lemma component_run : forall a f F, In f alternatives -> fair_component a f F -> forall e, In e F -> EG a (origin e).
Proof.
  intros a f F Hf H c Hc. destruct (tour a f F H c Hc) as [l [Hl [Hwalk Hall]]].
  destruct (round_and_round F l (origin c) c Hwalk Hl) as [H0 [Hin Hoften]].
  set (w := fun n => nth (n mod length l) l c) in *.
  assert (HF : forall n, In (w n) F) by (intro n; apply (walk_in F l (origin c) (origin c)); [exact Hwalk | apply Hin]).
  exists w. split; [split; [exact H0 | split] |].
  - intro n. split; [apply (are_steps _ _ _ H), HF | apply Hin].
  - exists f. split; [exact Hf | split].
    + intros q Hq Hwhen. destruct (met _ _ _ H q Hq) as [Hno | [e [He Hthen]]].
      * exfalso. apply Hwhen. exists 0. intros n _. apply Hno, HF.
      * intros [n Hn]. apply (Hoften e (Hall e He)). exists n. intros m Hm E. apply (Hn m Hm).
        rewrite <- E in Hthen. exact Hthen.
    + intros Hg e He Hvisit Hnever. apply Hvisit. exists 0. intros n _ E. revert Hnever.
      apply (Hoften e), Hall, (covered _ _ _ H Hg (w n) e (HF n) He). now symmetry.
  - intro n. apply (are_steps _ _ _ H), HF.
Qed.

Theorem globally_below : forall (a T : State -> Prop) (number : State -> nat),
  (forall s, T s -> number s = 0 ->
    exists f F e, In f alternatives /\ fair_component a f F /\ In e F /\ origin e = s) ->
  (forall s, T s -> 0 < number s ->
    a s /\ exists e, genuine e /\ origin e = s /\ T (goal e) /\ number (goal e) < number s) ->
  forall s, T s -> EG a s.
Proof.
  intros a T number Hzero Hsmaller s. remember (number s) as n eqn:En. revert s En.
  induction n as [n IH] using lt_wf_ind. intros s En HT. destruct (Nat.eq_dec n 0) as [-> | Hn].
  - destruct (Hzero s HT (eq_sym En)) as [f [F [e [Hf [HF [He <-]]]]]]. exact (component_run a f F Hf HF e He).
  - destruct (Hsmaller s HT) as [Ha [e [He [<- [HT' Hlt]]]]]; [lia |].
    destruct (IH (number (goal e)) ltac:(lia) (goal e) eq_refl HT') as [w [Hw Hall]].
    exists (before e w). split; [now apply run_before |]. intros [| k]; simpl; [exact Ha | apply Hall].
Qed.

End Branching.
