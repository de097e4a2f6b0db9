;; Dot products of one query with many vectors of halves (IEEE 754 binary16), four products in one instruction.
;;
;; A half becomes a float without a table: its bits, the sign drawn out to 32 bits, move 13 places to the left; what the sign
;; left in the exponent is masked. That is the number times 2^-112, so the query comes times 2^112. Halves must be finite.
;; Vectors lie one after the other, padded with zeros to a multiple of 8 numbers; the sums are made in one order, whoever
;; runs this, so scores are the same on every machine. What comes out is a whole number of steps of 2^-20, from 0 (also for
;; what points away) to 2^20: a float carries 24 bits, and the last ones depend on the order of the sum.
(module
  (memory (export "memory") 2)

  ;; The dot product of $bytes / 2 halves at $vector with as many floats at $query, in steps.
  (func $steps (param $vector i32) (param $query i32) (param $bytes i32) (result i32)
    (local $end i32) (local $halves v128) (local $low v128) (local $high v128)
    (local.set $end (i32.add (local.get $vector) (local.get $bytes)))
    (loop $eight
      (local.set $halves (v128.load (local.get $vector)))
      (local.set $low (f32x4.add (local.get $low) (f32x4.mul
        (v128.load (local.get $query))
        (v128.and
          (i32x4.shl (i32x4.extend_low_i16x8_s (local.get $halves)) (i32.const 13))
          (v128.const i32x4 0x8fffffff 0x8fffffff 0x8fffffff 0x8fffffff)))))
      (local.set $high (f32x4.add (local.get $high) (f32x4.mul
        (v128.load offset=16 (local.get $query))
        (v128.and
          (i32x4.shl (i32x4.extend_high_i16x8_s (local.get $halves)) (i32.const 13))
          (v128.const i32x4 0x8fffffff 0x8fffffff 0x8fffffff 0x8fffffff)))))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (local.set $vector (i32.add (local.get $vector) (i32.const 16)))
      (br_if $eight (i32.lt_u (local.get $vector) (local.get $end))))
    (local.set $low (f32x4.add (local.get $low) (local.get $high)))
    (i32.trunc_sat_f32_u (f32.min (f32.const 0x1p20) (f32.nearest (f32.mul (f32.const 0x1p20) (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $low)) (f32x4.extract_lane 1 (local.get $low)))
      (f32.add (f32x4.extract_lane 2 (local.get $low)) (f32x4.extract_lane 3 (local.get $low)))))))))

  ;; The products of $count vectors from $vector on, as numbers of 32 bits at $out.
  (func (export "all") (param $vector i32) (param $count i32) (param $bytes i32) (param $query i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (loop $each
      (i32.store (local.get $out) (call $steps (local.get $vector) (local.get $query) (local.get $bytes)))
      (local.set $vector (i32.add (local.get $vector) (local.get $bytes)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $each (i32.lt_u (local.get $out) (local.get $end)))))

  ;; The same of those vectors whose numbers (32 bits each) lie at $rows.
  (func (export "some") (param $vectors i32) (param $rows i32) (param $count i32) (param $bytes i32) (param $query i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (loop $each
      (i32.store (local.get $out) (call $steps
        (i32.add (local.get $vectors) (i32.mul (i32.load (local.get $rows)) (local.get $bytes)))
        (local.get $query) (local.get $bytes)))
      (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $each (i32.lt_u (local.get $out) (local.get $end))))))
