// The dot product of four bytes with four, which many devices have as an instruction.

fn dot_bytes(a: u32, b: u32) -> i32 {
    return dot4I8Packed(a, b);
}
