# SPDX-License-Identifier: BSD-2-Clause
# Basic blocks that are written to show one thing each; every one is a loop of its own.
# LLVM-MCA-BEGIN chain_add
	.type chain_add, @function
chain_add:
	addq %rbx, %rax
	addq %rbx, %rax
	addq %rbx, %rax
	addq %rbx, %rax
	.size chain_add, . - chain_add
# LLVM-MCA-END
# LLVM-MCA-BEGIN add_4
	.type add_4, @function
add_4:
	addq $1, %rax
	addq $1, %rbx
	addq $1, %rcx
	addq $1, %rdx
	.size add_4, . - add_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN chain_add_memory
	.type chain_add_memory, @function
chain_add_memory:
	addq 8(%rdi), %rax
	addq 16(%rdi), %rax
	.size chain_add_memory, . - chain_add_memory
# LLVM-MCA-END
# LLVM-MCA-BEGIN chain_imul
	.type chain_imul, @function
chain_imul:
	imulq %rbx, %rax
	imulq %rbx, %rax
	.size chain_imul, . - chain_imul
# LLVM-MCA-END
# LLVM-MCA-BEGIN imul_4
	.type imul_4, @function
imul_4:
	imulq %rbp, %rax
	imulq %rbp, %rbx
	imulq %rbp, %rcx
	imulq %rbp, %rdx
	.size imul_4, . - imul_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN imul_add
	.type imul_add, @function
imul_add:
	imulq %rbx, %rax
	addq %rax, %rcx
	addq $1, %rdx
	xorq %rdx, %rsi
	.size imul_add, . - imul_add
# LLVM-MCA-END
# LLVM-MCA-BEGIN chain_lea
	.type chain_lea, @function
chain_lea:
	leaq 8(%rax), %rax
	leaq (%rax,%rbx), %rax
	.size chain_lea, . - chain_lea
# LLVM-MCA-END
# LLVM-MCA-BEGIN lea_slow
	.type lea_slow, @function
lea_slow:
	leaq 8(%rax,%rbx,4), %rax
	.size lea_slow, . - lea_slow
# LLVM-MCA-END
# LLVM-MCA-BEGIN lea_4
	.type lea_4, @function
lea_4:
	leaq 8(%rax), %rax
	leaq 8(%rbx), %rbx
	leaq 8(%rcx), %rcx
	leaq 8(%rdx), %rdx
	.size lea_4, . - lea_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN chain_shift
	.type chain_shift, @function
chain_shift:
	shlq $3, %rax
	shrq $1, %rax
	.size chain_shift, . - chain_shift
# LLVM-MCA-END
# LLVM-MCA-BEGIN shift_4
	.type shift_4, @function
shift_4:
	shlq $3, %rax
	shlq $3, %rbx
	shlq $3, %rcx
	shlq $3, %rdx
	.size shift_4, . - shift_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN rotate_add
	.type rotate_add, @function
rotate_add:
	rolq $13, %rax
	addq %rbx, %rax
	rorq $7, %rcx
	xorq %rax, %rcx
	.size rotate_add, . - rotate_add
# LLVM-MCA-END
# LLVM-MCA-BEGIN chain_popcnt
	.type chain_popcnt, @function
chain_popcnt:
	popcntq %rax, %rax
	.size chain_popcnt, . - chain_popcnt
# LLVM-MCA-END
# LLVM-MCA-BEGIN popcnt_3
	.type popcnt_3, @function
popcnt_3:
	popcntq %rbp, %rax
	popcntq %rbp, %rbx
	popcntq %rbp, %rcx
	.size popcnt_3, . - popcnt_3
# LLVM-MCA-END
# LLVM-MCA-BEGIN bsf_add
	.type bsf_add, @function
bsf_add:
	bsfq %rax, %rbx
	addq %rbx, %rcx
	.size bsf_add, . - bsf_add
# LLVM-MCA-END
# LLVM-MCA-BEGIN cmov_chain
	.type cmov_chain, @function
cmov_chain:
	cmpq %rax, %rbx
	cmovlq %rbx, %rax
	.size cmov_chain, . - cmov_chain
# LLVM-MCA-END
# LLVM-MCA-BEGIN cmov_4
	.type cmov_4, @function
cmov_4:
	cmovlq %rbp, %rax
	cmovlq %rbp, %rbx
	cmovlq %rbp, %rcx
	cmovlq %rbp, %rdx
	.size cmov_4, . - cmov_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN setcc
	.type setcc, @function
setcc:
	cmpq %rax, %rbx
	setl %cl
	addq %rcx, %rdx
	.size setcc, . - setcc
# LLVM-MCA-END
# LLVM-MCA-BEGIN adc_chain
	.type adc_chain, @function
adc_chain:
	adcq %rbx, %rax
	adcq %rdx, %rcx
	adcq %rdi, %rsi
	.size adc_chain, . - adc_chain
# LLVM-MCA-END
# LLVM-MCA-BEGIN bswap
	.type bswap, @function
bswap:
	bswapq %rax
	addq %rbx, %rax
	.size bswap, . - bswap
# LLVM-MCA-END
# LLVM-MCA-BEGIN bit_tricks
	.type bit_tricks, @function
bit_tricks:
	movq %rax, %rbx
	subq $1, %rbx
	andq %rbx, %rax
	addq $1, %rcx
	.size bit_tricks, . - bit_tricks
# LLVM-MCA-END
# LLVM-MCA-BEGIN xorshift
	.type xorshift, @function
xorshift:
	movq %rax, %rbx
	shlq $13, %rbx
	xorq %rbx, %rax
	movq %rax, %rbx
	shrq $7, %rbx
	xorq %rbx, %rax
	movq %rax, %rbx
	shlq $17, %rbx
	xorq %rbx, %rax
	.size xorshift, . - xorshift
# LLVM-MCA-END
# LLVM-MCA-BEGIN lcg
	.type lcg, @function
lcg:
	imulq %rbx, %rax
	addq %rcx, %rax
	.size lcg, . - lcg
# LLVM-MCA-END
# LLVM-MCA-BEGIN hash
	.type hash, @function
hash:
	xorq (%rdi), %rax
	imulq %rbx, %rax
	addq $8, %rdi
	.size hash, . - hash
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul64
	.type mul64, @function
mul64:
	mulq %rbx
	addq %rdx, %rcx
	.size mul64, . - mul64
# LLVM-MCA-END
# LLVM-MCA-BEGIN div32_chain
	.type div32_chain, @function
div32_chain:
	xorl %edx, %edx
	divl %ecx
	.size div32_chain, . - div32_chain
# LLVM-MCA-END
# LLVM-MCA-BEGIN chase
	.type chase, @function
chase:
	movq (%rax), %rax
	.size chase, . - chase
# LLVM-MCA-END
# LLVM-MCA-BEGIN chase_index
	.type chase_index, @function
chase_index:
	movq (%rbx,%rax,8), %rax
	.size chase_index, . - chase_index
# LLVM-MCA-END
# LLVM-MCA-BEGIN sum_array
	.type sum_array, @function
sum_array:
	addq (%rdi), %rax
	addq $8, %rdi
	.size sum_array, . - sum_array
# LLVM-MCA-END
# LLVM-MCA-BEGIN sum_array_4
	.type sum_array_4, @function
sum_array_4:
	addq (%rdi), %rax
	addq 8(%rdi), %rbx
	addq 16(%rdi), %rcx
	addq 24(%rdi), %rdx
	addq $32, %rdi
	.size sum_array_4, . - sum_array_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN copy_8
	.type copy_8, @function
copy_8:
	movq (%rsi), %rax
	movq %rax, (%rdi)
	addq $8, %rsi
	addq $8, %rdi
	.size copy_8, . - copy_8
# LLVM-MCA-END
# LLVM-MCA-BEGIN copy_16x2
	.type copy_16x2, @function
copy_16x2:
	movups (%rsi), %xmm0
	movups 16(%rsi), %xmm1
	movups %xmm0, (%rdi)
	movups %xmm1, 16(%rdi)
	addq $32, %rsi
	addq $32, %rdi
	.size copy_16x2, . - copy_16x2
# LLVM-MCA-END
# LLVM-MCA-BEGIN copy_32
	.type copy_32, @function
copy_32:
	vmovups (%rsi), %ymm0
	vmovups %ymm0, (%rdi)
	addq $32, %rsi
	addq $32, %rdi
	.size copy_32, . - copy_32
# LLVM-MCA-END
# LLVM-MCA-BEGIN stores_4
	.type stores_4, @function
stores_4:
	movq %rax, (%rdi)
	movq %rax, 8(%rdi)
	movq %rax, 16(%rdi)
	movq %rax, 24(%rdi)
	.size stores_4, . - stores_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN loads_4
	.type loads_4, @function
loads_4:
	movq (%rdi), %rax
	movq 8(%rdi), %rbx
	movq 16(%rdi), %rcx
	movq 24(%rdi), %rdx
	.size loads_4, . - loads_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN histogram
	.type histogram, @function
histogram:
	movzbl (%rsi), %eax
	addl $1, (%rdi,%rax,4)
	addq $1, %rsi
	.size histogram, . - histogram
# LLVM-MCA-END
# LLVM-MCA-BEGIN strlen
	.type strlen, @function
strlen:
	movzbl (%rdi), %eax
	addq $1, %rdi
	testb %al, %al
	jne strlen
	.size strlen, . - strlen
# LLVM-MCA-END
# LLVM-MCA-BEGIN loop_dec
	.type loop_dec, @function
loop_dec:
	decq %rcx
	jnz loop_dec
	.size loop_dec, . - loop_dec
# LLVM-MCA-END
# LLVM-MCA-BEGIN loop_cmp
	.type loop_cmp, @function
loop_cmp:
	addq $1, %rax
	cmpq %rbx, %rax
	jl loop_cmp
	.size loop_cmp, . - loop_cmp
# LLVM-MCA-END
# LLVM-MCA-BEGIN memcmp
	.type memcmp, @function
memcmp:
	movq (%rsi), %rax
	cmpq (%rdi), %rax
	leaq 8(%rsi), %rsi
	leaq 8(%rdi), %rdi
	je memcmp
	.size memcmp, . - memcmp
# LLVM-MCA-END
# LLVM-MCA-BEGIN movzx_movsx
	.type movzx_movsx, @function
movzx_movsx:
	movzbl %al, %ebx
	movswl %bx, %ecx
	movslq %ecx, %rdx
	addq %rdx, %rax
	.size movzx_movsx, . - movzx_movsx
# LLVM-MCA-END
# LLVM-MCA-BEGIN addsd_chain
	.type addsd_chain, @function
addsd_chain:
	addsd %xmm1, %xmm0
	.size addsd_chain, . - addsd_chain
# LLVM-MCA-END
# LLVM-MCA-BEGIN addsd_8
	.type addsd_8, @function
addsd_8:
	addsd %xmm8, %xmm0
	addsd %xmm8, %xmm1
	addsd %xmm8, %xmm2
	addsd %xmm8, %xmm3
	addsd %xmm8, %xmm4
	addsd %xmm8, %xmm5
	addsd %xmm8, %xmm6
	addsd %xmm8, %xmm7
	.size addsd_8, . - addsd_8
# LLVM-MCA-END
# LLVM-MCA-BEGIN mulsd_chain
	.type mulsd_chain, @function
mulsd_chain:
	mulsd %xmm1, %xmm0
	.size mulsd_chain, . - mulsd_chain
# LLVM-MCA-END
# LLVM-MCA-BEGIN mulpd_8
	.type mulpd_8, @function
mulpd_8:
	mulpd %xmm8, %xmm0
	mulpd %xmm8, %xmm1
	mulpd %xmm8, %xmm2
	mulpd %xmm8, %xmm3
	mulpd %xmm8, %xmm4
	mulpd %xmm8, %xmm5
	mulpd %xmm8, %xmm6
	mulpd %xmm8, %xmm7
	.size mulpd_8, . - mulpd_8
# LLVM-MCA-END
# LLVM-MCA-BEGIN dot
	.type dot, @function
dot:
	movsd (%rsi), %xmm1
	mulsd (%rdi), %xmm1
	addsd %xmm1, %xmm0
	addq $8, %rsi
	addq $8, %rdi
	.size dot, . - dot
# LLVM-MCA-END
# LLVM-MCA-BEGIN dot_fma
	.type dot_fma, @function
dot_fma:
	vmovups 0(%rsi), %ymm8
	vmovups 32(%rsi), %ymm9
	vmovups 64(%rsi), %ymm10
	vmovups 96(%rsi), %ymm11
	vfmadd231ps 0(%rdi), %ymm8, %ymm0
	vfmadd231ps 32(%rdi), %ymm9, %ymm1
	vfmadd231ps 64(%rdi), %ymm10, %ymm2
	vfmadd231ps 96(%rdi), %ymm11, %ymm3
	.size dot_fma, . - dot_fma
# LLVM-MCA-END
# LLVM-MCA-BEGIN fma_chain
	.type fma_chain, @function
fma_chain:
	vfmadd213sd %xmm2, %xmm1, %xmm0
	.size fma_chain, . - fma_chain
# LLVM-MCA-END
# LLVM-MCA-BEGIN fma_10
	.type fma_10, @function
fma_10:
	vfmadd231pd %ymm14, %ymm15, %ymm0
	vfmadd231pd %ymm14, %ymm15, %ymm1
	vfmadd231pd %ymm14, %ymm15, %ymm2
	vfmadd231pd %ymm14, %ymm15, %ymm3
	vfmadd231pd %ymm14, %ymm15, %ymm4
	vfmadd231pd %ymm14, %ymm15, %ymm5
	vfmadd231pd %ymm14, %ymm15, %ymm6
	vfmadd231pd %ymm14, %ymm15, %ymm7
	vfmadd231pd %ymm14, %ymm15, %ymm8
	vfmadd231pd %ymm14, %ymm15, %ymm9
	.size fma_10, . - fma_10
# LLVM-MCA-END
# LLVM-MCA-BEGIN divsd_chain
	.type divsd_chain, @function
divsd_chain:
	divsd %xmm1, %xmm0
	.size divsd_chain, . - divsd_chain
# LLVM-MCA-END
# LLVM-MCA-BEGIN divss_4
	.type divss_4, @function
divss_4:
	divss %xmm8, %xmm0
	divss %xmm8, %xmm1
	divss %xmm8, %xmm2
	divss %xmm8, %xmm3
	.size divss_4, . - divss_4
# LLVM-MCA-END
# LLVM-MCA-BEGIN divps256
	.type divps256, @function
divps256:
	vdivps %ymm1, %ymm2, %ymm3
	vdivps %ymm1, %ymm2, %ymm4
	.size divps256, . - divps256
# LLVM-MCA-END
# LLVM-MCA-BEGIN sqrtsd
	.type sqrtsd, @function
sqrtsd:
	sqrtsd %xmm0, %xmm0
	.size sqrtsd, . - sqrtsd
# LLVM-MCA-END
# LLVM-MCA-BEGIN horner
	.type horner, @function
horner:
	mulsd %xmm1, %xmm0
	addsd %xmm2, %xmm0
	mulsd %xmm1, %xmm0
	addsd %xmm3, %xmm0
	.size horner, . - horner
# LLVM-MCA-END
# LLVM-MCA-BEGIN axpy
	.type axpy, @function
axpy:
	vmovups (%rsi), %ymm1
	vmulps %ymm0, %ymm1, %ymm1
	vaddps (%rdi), %ymm1, %ymm1
	vmovups %ymm1, (%rdi)
	addq $32, %rsi
	addq $32, %rdi
	cmpq %rdx, %rdi
	jne axpy
	.size axpy, . - axpy
# LLVM-MCA-END
# LLVM-MCA-BEGIN shuffles
	.type shuffles, @function
shuffles:
	pshufd $1, %xmm0, %xmm1
	pshufd $2, %xmm0, %xmm2
	punpckldq %xmm0, %xmm3
	.size shuffles, . - shuffles
# LLVM-MCA-END
# LLVM-MCA-BEGIN vector_logic
	.type vector_logic, @function
vector_logic:
	vpand %ymm0, %ymm1, %ymm2
	vpor %ymm0, %ymm1, %ymm3
	vpxor %ymm0, %ymm1, %ymm4
	.size vector_logic, . - vector_logic
# LLVM-MCA-END
# LLVM-MCA-BEGIN vector_adds
	.type vector_adds, @function
vector_adds:
	vpaddd %ymm0, %ymm1, %ymm2
	vpaddd %ymm0, %ymm1, %ymm3
	vpaddd %ymm0, %ymm1, %ymm4
	vpaddd %ymm0, %ymm5, %ymm5
	.size vector_adds, . - vector_adds
# LLVM-MCA-END
# LLVM-MCA-BEGIN pmulld
	.type pmulld, @function
pmulld:
	pmulld %xmm1, %xmm0
	.size pmulld, . - pmulld
# LLVM-MCA-END
# LLVM-MCA-BEGIN pmaddwd
	.type pmaddwd, @function
pmaddwd:
	pmaddwd %xmm8, %xmm0
	pmaddwd %xmm8, %xmm1
	pmaddwd %xmm8, %xmm2
	pmaddwd %xmm8, %xmm3
	pmaddwd %xmm8, %xmm4
	pmaddwd %xmm8, %xmm5
	.size pmaddwd, . - pmaddwd
# LLVM-MCA-END
# LLVM-MCA-BEGIN psadbw
	.type psadbw, @function
psadbw:
	movdqu (%rsi), %xmm0
	psadbw (%rdi), %xmm0
	paddd %xmm0, %xmm1
	addq $16, %rsi
	.size psadbw, . - psadbw
# LLVM-MCA-END
# LLVM-MCA-BEGIN pcmpeq_scan
	.type pcmpeq_scan, @function
pcmpeq_scan:
	movdqu (%rdi), %xmm0
	pcmpeqb %xmm1, %xmm0
	pmovmskb %xmm0, %eax
	addq $16, %rdi
	testl %eax, %eax
	je pcmpeq_scan
	.size pcmpeq_scan, . - pcmpeq_scan
# LLVM-MCA-END
# LLVM-MCA-BEGIN cvt
	.type cvt, @function
cvt:
	cvtsi2sdq %rax, %xmm0
	addsd %xmm0, %xmm1
	cvttsd2si %xmm1, %rbx
	.size cvt, . - cvt
# LLVM-MCA-END
# LLVM-MCA-BEGIN cvt_ps
	.type cvt_ps, @function
cvt_ps:
	cvtdq2ps %xmm0, %xmm1
	mulps %xmm2, %xmm1
	cvtps2dq %xmm1, %xmm3
	.size cvt_ps, . - cvt_ps
# LLVM-MCA-END
# LLVM-MCA-BEGIN movd_round
	.type movd_round, @function
movd_round:
	movq %rax, %xmm0
	movq %xmm0, %rax
	.size movd_round, . - movd_round
# LLVM-MCA-END
# LLVM-MCA-BEGIN aes
	.type aes, @function
aes:
	aesenc %xmm1, %xmm0
	aesenc %xmm2, %xmm0
	.size aes, . - aes
# LLVM-MCA-END
# LLVM-MCA-BEGIN clmul
	.type clmul, @function
clmul:
	pclmulqdq $0, %xmm1, %xmm0
	.size clmul, . - clmul
# LLVM-MCA-END
# LLVM-MCA-BEGIN crc32
	.type crc32, @function
crc32:
	crc32q (%rdi), %rax
	addq $8, %rdi
	.size crc32, . - crc32
# LLVM-MCA-END
# LLVM-MCA-BEGIN minmax
	.type minmax, @function
minmax:
	minps %xmm1, %xmm0
	maxps %xmm2, %xmm0
	.size minmax, . - minmax
# LLVM-MCA-END
# LLVM-MCA-BEGIN haddps
	.type haddps, @function
haddps:
	haddps %xmm0, %xmm0
	.size haddps, . - haddps
# LLVM-MCA-END
# LLVM-MCA-BEGIN blend
	.type blend, @function
blend:
	vblendps $3, %ymm0, %ymm1, %ymm2
	vblendps $5, %ymm2, %ymm3, %ymm4
	.size blend, . - blend
# LLVM-MCA-END
# LLVM-MCA-BEGIN perm2f128
	.type perm2f128, @function
perm2f128:
	vperm2f128 $1, %ymm0, %ymm0, %ymm0
	.size perm2f128, . - perm2f128
# LLVM-MCA-END
# LLVM-MCA-BEGIN ucomisd
	.type ucomisd, @function
ucomisd:
	ucomisd %xmm1, %xmm0
	seta %al
	.size ucomisd, . - ucomisd
# LLVM-MCA-END
# LLVM-MCA-BEGIN matmul_inner
	.type matmul_inner, @function
matmul_inner:
	vbroadcastss (%rsi), %ymm2
	vfmadd231ps (%rdi), %ymm2, %ymm0
	vfmadd231ps 32(%rdi), %ymm2, %ymm1
	addq $4, %rsi
	addq $64, %rdi
	decq %rcx
	jnz matmul_inner
	.size matmul_inner, . - matmul_inner
# LLVM-MCA-END
# LLVM-MCA-BEGIN sha_round
	.type sha_round, @function
sha_round:
	movl %eax, %ebx
	rorl $6, %ebx
	movl %eax, %ecx
	rorl $11, %ecx
	xorl %ecx, %ebx
	movl %edx, %esi
	xorl %edi, %esi
	andl %eax, %esi
	xorl %edi, %esi
	addl %esi, %ebx
	addl %ebx, %eax
	.size sha_round, . - sha_round
# LLVM-MCA-END
# LLVM-MCA-BEGIN quicksort_scan
	.type quicksort_scan, @function
quicksort_scan:
	movl (%rdi), %eax
	addq $4, %rdi
	cmpl %esi, %eax
	jl quicksort_scan
	.size quicksort_scan, . - quicksort_scan
# LLVM-MCA-END
# LLVM-MCA-BEGIN binary_search
	.type binary_search, @function
binary_search:
	movq %rax, %rcx
	shrq $1, %rcx
	cmpq %rdx, (%rdi,%rcx,8)
	leaq 1(%rcx), %rbx
	cmovlq %rbx, %rsi
	cmovgeq %rcx, %rax
	cmpq %rax, %rsi
	jl binary_search
	.size binary_search, . - binary_search
# LLVM-MCA-END
# LLVM-MCA-BEGIN bignum
	.type bignum, @function
bignum:
	movq (%rsi), %rax
	mulq %rbx
	addq %rcx, %rax
	adcq $0, %rdx
	addq %rax, (%rdi)
	adcq $0, %rdx
	movq %rdx, %rcx
	addq $8, %rsi
	addq $8, %rdi
	.size bignum, . - bignum
# LLVM-MCA-END
# LLVM-MCA-BEGIN push_pop
	.type push_pop, @function
push_pop:
	pushq %rax
	pushq %rbx
	popq %rcx
	popq %rdx
	.size push_pop, . - push_pop
# LLVM-MCA-END
# LLVM-MCA-BEGIN store_address
	.type store_address, @function
store_address:
	movq %rax, (%rdi,%rbx,8)
	addq $1, %rbx
	.size store_address, . - store_address
# LLVM-MCA-END
# LLVM-MCA-BEGIN alu_10
	.type alu_10, @function
alu_10:
	addq $1, %rax
	addq $1, %rbx
	addq $1, %rcx
	addq $1, %rdx
	addq $1, %rsi
	addq $1, %rdi
	addq $1, %r8
	addq $1, %r9
	addq $1, %r10
	addq $1, %r11
	.size alu_10, . - alu_10
# LLVM-MCA-END
# LLVM-MCA-BEGIN mixed_ports
	.type mixed_ports, @function
mixed_ports:
	imulq %rbx, %rax
	shlq $2, %rcx
	pshufd $1, %xmm0, %xmm1
	addsd %xmm2, %xmm3
	addq $1, %rdx
	movq (%rdi), %rsi
	.size mixed_ports, . - mixed_ports
# LLVM-MCA-END
# LLVM-MCA-BEGIN psllq
	.type psllq, @function
psllq:
	psllq $3, %xmm0
	psrlq $2, %xmm0
	psllq %xmm1, %xmm2
	.size psllq, . - psllq
# LLVM-MCA-END
# LLVM-MCA-BEGIN unpack
	.type unpack, @function
unpack:
	punpcklbw %xmm1, %xmm0
	punpckhbw %xmm1, %xmm2
	packuswb %xmm0, %xmm2
	.size unpack, . - unpack
# LLVM-MCA-END
# LLVM-MCA-BEGIN pmovzx
	.type pmovzx, @function
pmovzx:
	vpmovzxbw (%rsi), %ymm0
	vpaddw %ymm0, %ymm1, %ymm1
	addq $16, %rsi
	.size pmovzx, . - pmovzx
# LLVM-MCA-END
# LLVM-MCA-BEGIN rcpps
	.type rcpps, @function
rcpps:
	rcpps %xmm0, %xmm0
	mulps %xmm1, %xmm0
	.size rcpps, . - rcpps
# LLVM-MCA-END
# LLVM-MCA-BEGIN roundsd
	.type roundsd, @function
roundsd:
	roundsd $1, %xmm0, %xmm0
	.size roundsd, . - roundsd
# LLVM-MCA-END
# LLVM-MCA-BEGIN bmi
	.type bmi, @function
bmi:
	andnq %rax, %rbx, %rcx
	blsrq %rcx, %rdx
	tzcntq %rdx, %rax
	.size bmi, . - bmi
# LLVM-MCA-END
# LLVM-MCA-BEGIN shlx
	.type shlx, @function
shlx:
	shlxq %rax, %rbx, %rbx
	shrxq %rax, %rcx, %rcx
	.size shlx, . - shlx
# LLVM-MCA-END
# LLVM-MCA-BEGIN mulx
	.type mulx, @function
mulx:
	mulxq %rax, %rbx, %rcx
	addq %rcx, %rdx
	.size mulx, . - mulx
# LLVM-MCA-END
# LLVM-MCA-BEGIN pdep
	.type pdep, @function
pdep:
	pdepq %rax, %rbx, %rbx
	.size pdep, . - pdep
# LLVM-MCA-END
