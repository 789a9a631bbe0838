// All kernels of one ISA as a table. The order of `multiply` is LayoutId's.

namespace cairn::backend::cpu::CAIRN_ISA {

extern const KernelTable kTable;
const KernelTable kTable = {
    .name = CAIRN_ISA_NAME,
    .multiply = {multiply_floats<F32Weights>, multiply_floats<F16Weights>,
                 multiply_floats<Bf16Weights>, multiply_codes<Q40>, multiply_codes<Q41>,
                 multiply_codes<Q4K>, multiply_codes<Q50>, multiply_codes<Q51>, multiply_codes<Q5K>,
                 multiply_codes<Q80>, multiply_codes<Q6K>, multiply_codes<Q3K>, multiply_codes<Q2K>,
                 multiply_codes<Iq4Nl>, multiply_codes<Iq4Xs>, multiply_codes<Mxfp4>},
    .finish = finish,
    .rms_norm = rms_norm,
    .quantize = quantize,
    .silu_gated = silu_gated,
    .gelu_gated = gelu_gated,
    .scale_and_cap = scale_and_cap,
    .add = add,
    .rotate = rotate,
    .to_f16 = to_f16,
    .to_bf16 = to_bf16,
    .to_q8_0 = to_q8_0,
    .to_q4_0 = to_q4_0,
    .score = {score<Scorer<KvF32>>, score<Scorer<KvF16>>, score<Scorer<KvBf16>>,
              score<BlockScorer<KvQ80>>, score<BlockScorer<KvQ40>>},
    .weigh = {weigh<Weigher<KvF32>>, weigh<Weigher<KvF16>>, weigh<Weigher<KvBf16>>,
              weigh<BlockWeigher<KvQ80>>, weigh<BlockWeigher<KvQ40>>},
    .merge = merge,
    .divide = divide,
};

}  // namespace cairn::backend::cpu::CAIRN_ISA
