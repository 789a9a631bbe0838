// exp and tanh on eight lanes, and what is made of them. A value never depends on its lane.

namespace cairn::backend::cpu::CAIRN_ISA {

/// exp(x) to 2 units in the last place; below -86.9 it is 0, above 88 it stays at exp(88).
/// x = n ln2 + r, |r| <= ln2 / 2; exp(r) by the polynomial of Cephes' expf (Moshier).
CAIRN_INLINE Floats exponential(Floats x) {
  const Floats lowest = broadcast(-86.9F);
  const Ints vanishes = less(x, lowest);
  const Floats held = min(max(x, lowest), broadcast(88.0F));
  const Ints n = round_to_ints(held * broadcast(1.44269504088896341F));
  const Floats whole = to_floats(n);
  Floats r = multiply_add(whole, broadcast(-0.693359375F), held);
  r = multiply_add(whole, broadcast(2.12194440e-4F), r);
  Floats p = broadcast(1.9875691500e-4F);
  p = multiply_add(p, r, broadcast(1.3981999507e-3F));
  p = multiply_add(p, r, broadcast(8.3334519073e-3F));
  p = multiply_add(p, r, broadcast(4.1665795894e-2F));
  p = multiply_add(p, r, broadcast(1.6666665459e-1F));
  p = multiply_add(p, r, broadcast(5.0000001201e-1F));
  const Floats y = multiply_add(p, r * r, r) + broadcast(1.0F);
  const Floats scaled = bits_to_floats(floats_to_bits(y) + shift_left<23>(n));
  return select(vanishes, zero_floats(), scaled);
}

/// 2^x for x <= 0 to 1e-7 of its value; at -127 and below it is 0. x = n + f, |f| <= 1/2; 2^f by a
/// minimax polynomial that is 1 at 0.
CAIRN_INLINE Floats power_of_2(Floats x) {
  const Floats held = max(x, broadcast(-127.0F));
  const Ints n = round_to_ints(held);
  const Floats f = held - to_floats(n);
  Floats p = broadcast(1.32651e-3F);
  p = multiply_add(p, f, broadcast(9.6715e-3F));
  p = multiply_add(p, f, broadcast(5.550732e-2F));
  p = multiply_add(p, f, broadcast(2.4022242e-1F));
  p = multiply_add(p, f, broadcast(6.9314698e-1F));
  p = multiply_add(p, f, broadcast(1.0F));
  return bits_to_floats(floats_to_bits(p) + shift_left<23>(n));
}

/// tanh(x): the odd polynomial of Cephes' tanhf near zero, 1 - 2 / (exp(2|x|) + 1) elsewhere.
CAIRN_INLINE Floats hyperbolic_tangent(Floats x) {
  const Floats magnitude = absolute(x);
  const Floats square = x * x;
  Floats p = broadcast(-5.70498872745e-3F);
  p = multiply_add(p, square, broadcast(2.06390887954e-2F));
  p = multiply_add(p, square, broadcast(-5.37397155531e-2F));
  p = multiply_add(p, square, broadcast(1.33314422036e-1F));
  p = multiply_add(p, square, broadcast(-3.33332819422e-1F));
  const Floats near_zero = multiply_add(p * square, x, x);
  const Floats one = broadcast(1.0F);
  const Floats far = one - broadcast(2.0F) / (exponential(magnitude + magnitude) + one);
  return select(less(magnitude, broadcast(0.625F)), near_zero, with_sign_of(far, x));
}

/// x / (1 + exp(-x))
CAIRN_INLINE Floats silu(Floats x) {
  return x / (broadcast(1.0F) + exponential(zero_floats() - x));
}

/// x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
CAIRN_INLINE Floats gelu_tanh(Floats x) {
  const Floats cubic = broadcast(0.044715F) * x * x * x;
  const Floats bent = hyperbolic_tangent(broadcast(0.7978845608028654F) * (x + cubic));
  return broadcast(0.5F) * x * (broadcast(1.0F) + bent);
}

/// softcap * tanh(x / softcap)
CAIRN_INLINE Floats capped(Floats x, float softcap) {
  return broadcast(softcap) * hyperbolic_tangent(x / broadcast(softcap));
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
