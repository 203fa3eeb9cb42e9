//! The file of a network: safetensors, with the sizes as its metadata.

use super::{Layer, Network, Sizes, sizes::LayerSpec};
use crate::{
    error::{Error, Result},
    hash::fnv1a,
    input::too_long,
    names::visible,
};
use safetensors::{
    Dtype,
    tensor::{Metadata, TensorView, serialize},
};
use std::{fs::File, io::Read, path::Path};

const FORMAT: &str = "mcts-wgpu-net-1";
/// The greatest size of a network's file, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// Characters of a text of the file that an error repeats.
const SHOWN: usize = 40;
/// Bytes of the header's length, which precedes the header.
const LENGTH_BYTES: usize = 8;
/// The greatest length of a header, as in the format's library.
const MOST_HEADER_BYTES: u64 = 100_000_000;

impl Network {
    /// Reads a network's file: safetensors, at most 64 MiB.
    ///
    /// # Errors
    /// Bad input if the file can't be read or is not a network; the message has its name, and the tensor.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let bytes = read_tensors(path, MOST_BYTES).map_err(|error| error.of(&name))?;
        Self::parse(&name, &bytes)
    }

    /// Parses the bytes of a network's file; `name` is the network's name.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        let parsed = Tensors::new(bytes).and_then(|tensors| {
            let sizes = tensors.sizes()?;
            let network = Self::build(name.to_owned(), sizes, |spec| tensors.layer(spec))?;
            tensors.check_names(&network)?;
            Ok(network)
        });
        parsed.map_err(|error| error.of(name))
    }

    /// The bytes of the network's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let tensors: Vec<_> = self.layers().flat_map(|(spec, layer)| stored(&spec, layer)).collect();
        let views = tensors.iter().map(|(name, dtype, shape, data)| {
            let view = TensorView::new(*dtype, shape.clone(), data).expect("the shape is that of the data");
            (name.as_str(), view)
        });
        let metadata = self.sizes.metadata().into_iter().chain([("format", FORMAT.to_owned())]);
        let metadata = metadata.map(|(name, value)| (name.to_owned(), value)).collect();
        serialize(views, Some(metadata)).expect("a header of a few kilobytes")
    }

    /// [`digest`](Self::digest): FNV-1a of the metadata and of all tensors, in order.
    pub(super) fn digested(&self) -> u64 {
        let metadata = self.sizes.metadata().into_iter().flat_map(|(_, value)| (value + "\n").into_bytes());
        let tensors = self.layers().flat_map(|(spec, layer)| stored(&spec, layer));
        fnv1a(metadata.chain(tensors.flat_map(|(_, _, _, data)| data)))
    }
}

impl Sizes {
    /// The sizes as names and values of a file's metadata.
    fn metadata(&self) -> [(&'static str, String); 11] {
        [
            ("game", self.game.clone()),
            ("rows", self.rows.to_string()),
            ("columns", self.columns.to_string()),
            ("planes", self.planes.to_string()),
            ("actions", self.actions.to_string()),
            ("trunk", self.trunk.to_string()),
            ("blocks", self.blocks.to_string()),
            ("channels", self.channels.to_string()),
            ("policy_channels", self.policy_channels.to_string()),
            ("value_channels", self.value_channels.to_string()),
            ("value_hidden", self.value_hidden.to_string()),
        ]
    }
}

/// The tensors of a layer: name, type, shape, bytes.
fn stored(spec: &LayerSpec, layer: &Layer) -> [(String, Dtype, Vec<usize>, Vec<u8>); 4] {
    let bytes = |numbers: &[i32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let outputs = layer.outputs as usize;
    let [weight, bias, multiplier, shift] = spec.tensors();
    [
        (weight, Dtype::I8, spec.shape(), layer.weights.iter().map(|&weight| weight as u8).collect()),
        (bias, Dtype::I32, vec![outputs], bytes(&layer.bias)),
        (multiplier, Dtype::I32, vec![outputs], bytes(&layer.multiplier)),
        (shift, Dtype::I32, vec![outputs], bytes(&layer.shift)),
    ]
}

impl LayerSpec {
    fn tensors(&self) -> [String; 4] {
        ["weight", "bias", "multiplier", "shift"].map(|part| format!("{}.{part}", self.name))
    }

    /// The shape of the weights: `[output][input]`, and `[3][3]` where there are nine taps.
    fn shape(&self) -> Vec<usize> {
        let mut shape = vec![self.outputs as usize, self.inputs as usize];
        if self.taps == 9 {
            shape.extend([3, 3]);
        }
        shape
    }
}

/// The metadata and the tensors of a file.
pub(super) struct Tensors<'a> {
    metadata: Metadata,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    /// Parses the header of a file of safetensors.
    ///
    /// # Errors
    /// Bad input if the bytes are not such a file.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let length = header_length(bytes)? as usize;
        let rest = &bytes[LENGTH_BYTES..];
        let (header, data) =
            rest.split_at_checked(length).ok_or_else(|| malformed("its header is cut off"))?;
        let metadata = metadata_of(header)?;
        if metadata.data_len() != data.len() {
            return Err(malformed("the length of its tensors differs from its header"));
        }
        Ok(Self { metadata, data })
    }

    fn sizes(&self) -> Result<Sizes> {
        if self.value("format").ok() != Some(FORMAT) {
            let what = format!("not a network: its metadata lacks format = {FORMAT}");
            return Err(Error::invalid(what));
        }
        Ok(Sizes {
            game: self.value("game")?.to_owned(),
            rows: self.number("rows")?,
            columns: self.number("columns")?,
            planes: self.number("planes")?,
            actions: self.number("actions")?,
            trunk: shown(self.value("trunk")?).parse().map_err(|why: Error| why.of("metadata"))?,
            blocks: self.number("blocks")?,
            channels: self.number("channels")?,
            policy_channels: self.number("policy_channels")?,
            value_channels: self.number("value_channels")?,
            value_hidden: self.number("value_hidden")?,
        })
    }

    fn value(&self, name: &str) -> Result<&str> {
        let value = self.metadata.metadata().as_ref().and_then(|metadata| metadata.get(name));
        value.map(String::as_str).ok_or_else(|| Error::invalid(format!("metadata {name} is missing: add it")))
    }

    fn number(&self, name: &str) -> Result<u32> {
        let value = self.value(name)?;
        value.parse().map_err(|_| {
            Error::invalid(format!("metadata {name} is '{}': give a whole number", shown(value)))
        })
    }

    fn layer(&self, spec: &LayerSpec) -> Result<Layer> {
        let [weight, bias, multiplier, shift] = spec.tensors();
        let numbers = |name: &str| {
            let words = self.tensor(name, Dtype::I32, &[spec.outputs as usize])?.as_chunks().0;
            Ok::<_, Error>(words.iter().map(|&word| i32::from_le_bytes(word)).collect())
        };
        let weights = self.tensor(&weight, Dtype::I8, &spec.shape())?;
        Ok(Layer {
            inputs: spec.inputs,
            outputs: spec.outputs,
            taps: spec.taps,
            weights: weights.iter().map(|&byte| byte as i8).collect(),
            bias: numbers(&bias)?,
            multiplier: numbers(&multiplier)?,
            shift: numbers(&shift)?,
        })
    }

    /// The bytes of a tensor of this type and shape. A tensor of two dimensions may have two more, of size 1.
    fn tensor(&self, name: &str, dtype: Dtype, shape: &[usize]) -> Result<&'a [u8]> {
        let (own, bytes) = self.of_type(name, dtype)?;
        let squeezed = if shape.len() == 2 { own.strip_suffix(&[1, 1]) } else { None };
        if own != shape && squeezed != Some(shape) {
            let own = shown(&format!("{own:?}"));
            let what = format!("tensor {name}: its shape is {own}: by the metadata it is {shape:?}");
            return Err(Error::invalid(what));
        }
        Ok(bytes)
    }

    /// The shape and the bytes of a tensor of this type.
    ///
    /// # Errors
    /// Bad input if the tensor is missing or has another type.
    pub fn of_type(&self, name: &str, dtype: Dtype) -> Result<(&[usize], &'a [u8])> {
        let wrong = |what: String| Error::invalid(format!("tensor {name}: {what}"));
        let info = self.metadata.info(name).ok_or_else(|| wrong("it is missing: add it".into()))?;
        if info.dtype != dtype {
            return Err(wrong(format!("it is of type {:?}: make it {dtype:?}", info.dtype)));
        }
        let (start, end) = info.data_offsets;
        Ok((&info.shape, &self.data[start..end]))
    }

    /// Checks that the file has no other tensors.
    ///
    /// # Errors
    /// Bad input if it has one that is not a tensor of the network.
    fn check_names(&self, network: &Network) -> Result<()> {
        let known: Vec<String> = network.layers().flat_map(|(spec, _)| spec.tensors()).collect();
        match self.metadata.offset_keys().into_iter().find(|name| !known.contains(name)) {
            Some(name) => Err(Error::invalid(format!(
                "tensor {}: the network has no such tensor: remove it",
                shown(&name)
            ))),
            None => Ok(()),
        }
    }
}

/// Reads a file of safetensors of at most `most` bytes. Of a file of another format, even an endless one, only the
/// header is read.
///
/// # Errors
/// Bad input if the file can't be read, is larger, or has another format.
pub(crate) fn read_tensors(path: &Path, most: u64) -> Result<Vec<u8>> {
    File::open(path).map_err(Error::invalid).and_then(|file| tensors_from(file, most))
}

fn tensors_from(mut input: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut read = |bytes: &mut Vec<u8>, more: u64| -> Result<()> {
        (&mut input).take(more).read_to_end(bytes).map(drop).map_err(Error::invalid)
    };
    read(&mut bytes, LENGTH_BYTES as u64)?;
    let header = header_length(&bytes)?;
    read(&mut bytes, header)?;
    if bytes.len() as u64 != LENGTH_BYTES as u64 + header {
        return Err(malformed("its header is cut off"));
    }
    let data = metadata_of(&bytes[LENGTH_BYTES..])?.data_len() as u64;
    if LENGTH_BYTES as u64 + header + data > most {
        return Err(Error::invalid(too_long("it is larger", most)));
    }
    // One more byte shows whether data follow the tensors.
    read(&mut bytes, data + 1)?;
    Ok(bytes)
}

/// The length of the header in bytes, from the first bytes of a file.
fn header_length(bytes: &[u8]) -> Result<u64> {
    let (length, _) =
        bytes.split_first_chunk::<LENGTH_BYTES>().ok_or_else(|| malformed("it is too short"))?;
    match u64::from_le_bytes(*length) {
        0 => Err(malformed("it has no header")),
        length @ 1..=MOST_HEADER_BYTES => Ok(length),
        length => Err(malformed(&format!("a header of {length} bytes"))),
    }
}

fn metadata_of(header: &[u8]) -> Result<Metadata> {
    serde_json::from_slice(header).map_err(|why| malformed(&shown(&why.to_string())))
}

fn malformed(why: &str) -> Error {
    Error::invalid(format!("it is not a safetensors file ({why}): write it by the format's library"))
}

/// A text of the file, shortened for an error.
fn shown(text: &str) -> String {
    visible(&text.chars().take(SHOWN).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Trunk;
    use std::io::{Cursor, repeat};

    #[test]
    fn streams_without_an_end_are_refused_by_their_first_bytes() {
        for (byte, why) in [(0, "it has no header"), (b'{', "a header of 8897841259083430779 bytes")] {
            let message = tensors_from(repeat(byte), u64::MAX).expect_err("no such file").to_string();
            assert!(message.contains(&format!("it is not a safetensors file ({why})")), "{message}");
        }
        let mut stream = Cursor::new(3_u64.to_le_bytes()).chain(repeat(b'x'));
        assert!(
            tensors_from(&mut stream, u64::MAX).expect_err("no JSON").to_string().contains("expected value")
        );
    }

    #[test]
    fn a_file_is_read_as_far_as_its_header_says() {
        let sizes = Sizes::of_game(&crate::games::Connect4::default(), Trunk::Conv, 1, 16).expect("sizes");
        let bytes = Network::random(sizes, 0).expect("a network").to_bytes();
        assert_eq!(tensors_from(&bytes[..], 1 << 20).expect("a file"), bytes);
        let message = tensors_from(&bytes[..], bytes.len() as u64 - 1).expect_err("too large").to_string();
        assert!(message.contains("it is larger than"), "{message}");
        let endless = tensors_from(Cursor::new(&bytes).chain(repeat(0)), 1 << 20).expect("one byte more");
        assert_eq!(endless.len(), bytes.len() + 1);
        assert!(Network::parse("net", &endless).is_err());
    }
}
