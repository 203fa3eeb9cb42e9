// The dot product of four bytes with four, one by one.

fn dot_bytes(a: u32, b: u32) -> i32 {
    let shifts = vec4<u32>(24u, 16u, 8u, 0u);
    let x = vec4<i32>(vec4<u32>(a) << shifts) >> vec4<u32>(24u);
    let y = vec4<i32>(vec4<u32>(b) << shifts) >> vec4<u32>(24u);
    let products = x * y;
    return products.x + products.y + products.z + products.w;
}
