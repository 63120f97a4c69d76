# ruff: noqa: E501 - an example stands whole on its line
"""The words of MJCF that MuJoCo obeys, each with a small arm: what armdyn does with it."""

from formats.words import Row

ARM = """<mujoco model="arm">
  <compiler angle="radian" {compiler}/> <option {option}>{flags}</option> {top}
  <worldbody>
    <site name="post" pos="0.6 0.1 -0.1"/> {world}
    <body name="one" {one}> <joint name="a" axis="0 0.6 0.8" pos="0.02 0 0.01" {a}/> {inertial}
      <site name="on_one" pos="0.05 0.1 0.2"/> {in_one}
      <body name="two" pos="0.25 0.1 0" euler="0.3 0.2 0.1" {two}> <joint name="b" axis="1 0 0" {b}/>
        <inertial pos="0.08 -0.02 0.01" mass="0.5" diaginertia="0.0005 0.002 0.002"/>
        <site name="on_two" pos="0.1 0.2 0.3"/> {in_two}
      </body>
    </body>
  </worldbody>
  {more}
</mujoco>
"""

INERTIAL = '<inertial pos="0.1 0.03 -0.02" mass="1" diaginertia="0.001 0.005 0.005"/>'
BLANK = dict.fromkeys(
    ("compiler", "option", "flags", "top", "world", "one", "a", "in_one", "two", "b", "in_two", "more"), ""
)
RUBS = 'damping="0.4" frictionloss="0.05"'
BOTH = {"one": 'gravcomp="0.7"', "two": 'gravcomp="0.7"'}
GEOMS = '<geom type="box" size="0.1 0.05 0.02" pos="0.1 0 0.05" density="800"/><geom size="0.03" mass="0.2" group="3"/>'


def arm(parts: dict[str, str]) -> str:
    """The arm with something in its places."""
    return ARM.format(**{**BLANK, "inertial": INERTIAL, **parts})


def drives(words: str) -> dict[str, str]:
    return {"more": f"<actuator>{words}</actuator>"}


def tendon(words: str, more: str = "") -> dict[str, str]:
    return {
        "more": f'<tendon><fixed name="t" {words}><joint joint="a" coef="2"/><joint joint="b" coef="-1"/></fixed></tendon>{more}'
    }


def spatial(words: str) -> dict[str, str]:
    return {"more": f'<tendon><spatial name="t" {words}><site site="post"/><site site="on_two"/></spatial></tendon>'}


def ties(words: str) -> dict[str, str]:
    return {"more": f"<equality>{words}</equality>"}


ROWS = [
    # The tree
    Row("`<body>`: `pos`, `quat`, `axisangle`, `xyaxes`, `zaxis`, `euler`", "counted", {"one": 'pos="0.1 0.2 0.3" quat="0.5 0.1 -0.3 0.8"', "in_two": '<body name="three" xyaxes="0 1 0.2 -1 0.1 0"><inertial pos="0.1 0 0" mass="0.3" diaginertia="1e-3 1e-3 1e-3"/></body>'}),
    Row("`<frame>`, `<replicate>`, `<include>`, `<attach>`, `childclass`", "counted", {"in_two": '<frame pos="0.1 0.2 0" euler="0.3 0 0"><replicate count="2" offset="0 0.1 0"><body><inertial pos="0.1 0 0.1" mass="0.3" diaginertia="1e-3 1e-3 1e-3"/></body></replicate></frame>'}),
    Row("`<inertial>`: `pos`, `quat`, `mass`, `diaginertia`, `fullinertia`", "counted", {"inertial": '<inertial pos="0.1 0.03 -0.02" mass="1.2" fullinertia="0.004 0.005 0.006 1e-4 2e-4 -3e-4"/>'}),
    Row("inertia of geoms: `density`, `mass`, `shellinertia`, `inertiafromgeom`, `inertiagrouprange`", "counted", {"inertial": GEOMS, "compiler": 'inertiagrouprange="0 2"'}),
    Row("inertia of geoms: `density`, `mass`, `shellinertia`, `inertiafromgeom`, `inertiagrouprange`", "counted", {"inertial": GEOMS.replace("density", 'shellinertia="true" density'), "in_two": GEOMS, "compiler": 'inertiafromgeom="true"'}),
    Row("`<compiler>`: `boundmass`, `boundinertia`, `balanceinertia`, `settotalmass`", "counted", {"compiler": 'boundmass="0.8"'}),
    Row("`<compiler>`: `boundmass`, `boundinertia`, `balanceinertia`, `settotalmass`", "counted", {"compiler": 'boundinertia="0.004"'}),
    Row("`<compiler>`: `boundmass`, `boundinertia`, `balanceinertia`, `settotalmass`", "counted", {"compiler": 'balanceinertia="true"', "inertial": INERTIAL.replace("0.001 0.005", "0.001 0.009")}),
    Row("`<compiler>`: `boundmass`, `boundinertia`, `balanceinertia`, `settotalmass`", "counted", {"compiler": 'settotalmass="4"'}),
    Row("`<compiler>`: `angle`, `eulerseq`, `autolimits`, `fusestatic`, `discardvisual`, `alignfree`", "counted", {"compiler": 'eulerseq="ZYX" fusestatic="true" discardvisual="true"', "one": 'euler="0.3 0.4 0.5"', "in_two": '<body name="fixed" pos="0 0.1 0"><inertial pos="0.1 0 0" mass="0.3" diaginertia="1e-3 1e-3 1e-3"/></body>'}),
    # Joints
    Row("`<joint>`: `type` hinge and slide, `pos`, `axis`, `ref`, several on one body", "counted", {"a": 'ref="0.3"', "b": 'ref="-0.2"', "in_one": '<joint name="c" type="slide" axis="0.6 0 0.8" ref="0.1"/>'}),
    Row("`<joint>`: `armature`", "counted", {"a": 'armature="0.3"'}),
    Row("`<joint>`: `damping` of one and of three numbers, `frictionloss`", "counted", {"a": RUBS, "b": 'damping="0.1 0.02 0.03"'}),
    Row("`<default>`, `class`", "counted", {"top": '<default><joint damping="0.2" frictionloss="0.02"/><default class="geared"><joint armature="0.1"/></default></default>', "b": 'class="geared"'}),
    Row("`<joint>`: `damping` with a negative coefficient of a higher power", "Unsupported", {"a": 'damping="1 -0.2 0.1"'}, "damping of joint 'a'"),
    Row("`<joint>`: `range`, `limited`", "counted", {"a": 'range="-1 2"', "b": 'range="-3 1" limited="false"'}, check="ranges"),
    Row("`<joint>`: `actuatorfrcrange`, `actuatorfrclimited`", "counted", {"a": 'actuatorfrcrange="-30 30"', "b": 'actuatorfrcrange="-3 3" actuatorfrclimited="false"', **drives('<motor joint="a"/><motor joint="b"/>')}, check="efforts"),
    Row("`<joint>`: `stiffness` of one and of three numbers, `springref`, `springdamper`", "counted", {"a": 'stiffness="12" springref="-0.4"'}),
    Row("`<joint>`: `stiffness` of one and of three numbers, `springref`, `springdamper`", "counted", {"a": 'stiffness="9 2 -1" springref="0.3" ref="-0.2"'}),
    Row("`<joint>`: `stiffness` of one and of three numbers, `springref`, `springdamper`", "counted", {"a": 'springdamper="0.1 1"'}),
    Row("`<joint>`: `springyield` of a spring", "Unsupported", {"a": 'stiffness="12" springref="-0.4" springyield="0.1"'}, "spring of joint 'a'"),
    Row("`<joint>`: `stiffness` below zero", "Unsupported", {"b": 'stiffness="-3"'}, "springs with a negative stiffness on joint 'b'"),
    Row("`<joint>`: `springref` without a stiffness", "no bearing", {"a": 'springref="0.3"'}),
    Row("`<joint>`: `margin`, `solreflimit`, `solimplimit`, `solreffriction`, `solimpfriction`", "note", {"a": 'range="-9 9" margin="0.1" solreflimit="0.01 1" solimpfriction="0.8 0.9 0.01"'}, "margin, solreflimit, solimpfriction of 'a'"),
    Row("`<joint>` of type ball, `<freejoint>`", "Unsupported", {"in_two": '<body name="ball"><joint name="c" type="ball"/><inertial pos="0.1 0 0" mass="0.3" diaginertia="1e-3 1e-3 1e-3"/></body>'}, "ball joint 'c'"),
    Row("`<joint>` of type ball, `<freejoint>`", "Unsupported", {"world": '<body name="ball"><freejoint name="c"/><inertial pos="0.1 0 0" mass="0.3" diaginertia="1e-3 1e-3 1e-3"/></body>'}, "free joint 'c'"),
    # Gravity, medium, flags
    Row("`<option>`: `gravity`; `<flag gravity=\"disable\">`", "counted", {"option": 'gravity="1 2 -3"'}),
    Row("`<option>`: `gravity`; `<flag gravity=\"disable\">`", "counted", {"flags": '<flag gravity="disable"/>'}),
    Row("`gravcomp`, the same of all bodies that move", "counted", BOTH),
    Row("`gravcomp` with `actuatorgravcomp` of all joints: a part of tau", "counted", {**BOTH, "a": 'actuatorgravcomp="true"', "b": 'actuatorgravcomp="true"', **drives('<motor joint="a"/>')}, "gravcomp of 'one', 'two' is a part of tau", check="commanded gravity"),
    Row("`gravcomp` of some bodies, or with `actuatorgravcomp` of some joints", "Unsupported", {"two": 'gravcomp="1"'}, "gravcomp of 'two'"),
    Row("`gravcomp` of some bodies, or with `actuatorgravcomp` of some joints", "Unsupported", {**BOTH, "a": 'actuatorgravcomp="true"'}, "is a part of tau at 'a'"),
    Row("`<option>`: `density`, `viscosity`", "Unsupported", {"option": 'density="1000"'}, "density is 1000"),
    Row("`<option>`: `density`, `viscosity`", "Unsupported", {"option": 'viscosity="0.3" wind="1 2 3"'}, "viscosity is 0.3"),
    Row("`<option>`: `wind` without a medium", "note", {"option": 'wind="1 2 3"'}, "wind 1 2 3"),
    Row("`<flag damper=\"disable\">`", "counted", {"flags": '<flag damper="disable"/>', "a": RUBS, "b": 'damping="0.1 0.02 0.03"', **drives('<motor joint="a" gear="3" damping="0.1" armature="0.01"/>')}, "<flag> disables damper"),
    Row("`<flag frictionloss=\"disable\">`", "counted", {"flags": '<flag frictionloss="disable"/>', "a": RUBS}, "<flag> disables frictionloss"),
    Row("`<flag constraint=\"disable\">`", "counted", {"flags": '<flag constraint="disable"/>', "a": RUBS, **ties('<joint joint1="a" joint2="b"/>')}, "<flag> disables constraint"),
    Row("`<flag equality=\"disable\">`", "counted", {"flags": '<flag equality="disable"/>', **ties('<joint joint1="a" joint2="b"/>')}, "<flag> disables equality"),
    Row("`<flag spring=\"disable\">`", "counted", {"flags": '<flag spring="disable"/>', "a": 'stiffness="12"', "b": RUBS}, "<flag> disables spring"),
    Row("`<flag spring=\"disable\" damper=\"disable\">`: `gravcomp` and fluids too", "counted", {"flags": '<flag spring="disable" damper="disable"/>', "two": 'gravcomp="1"', "option": 'density="1000"'}, "<flag> disables spring, damper"),
    Row("`<flag limit=\"disable\">`", "note", {"flags": '<flag limit="disable"/>', "a": 'range="-0.1 0.1"'}, "disables the limits of joints"),
    Row("`<flag actuation=\"disable\">`, `actuatorgroupdisable`", "note", {"flags": '<flag actuation="disable"/>', **drives('<motor name="m" joint="a" gear="3" damping="0.1" armature="0.01"/>')}, "MuJoCo's own force of actuator 'm'"),
    Row("`<flag actuation=\"disable\">`, `actuatorgroupdisable`", "note", {"option": 'actuatorgroupdisable="2"', **drives('<motor name="m" joint="a" group="2"/>')}, "MuJoCo's own force of actuator 'm'"),
    Row("`<flag contact=\"disable\">`", "no bearing", {"flags": '<flag contact="disable"/>'}),
    Row("`<option>`: `timestep`, `integrator`, solver and its numbers, `magnetic`, `o_...`; other flags", "note", {"option": 'timestep="0.001" integrator="implicitfast" cone="elliptic" impratio="10"', "flags": '<flag eulerdamp="disable" energy="enable"/>'}, "cone ELLIPTIC, impratio 10, integrator IMPLICITFAST, timestep 0.001, eulerdamp off, energy on"),
    # Equalities
    Row("`<connect>`, `<weld>` of bodies and of sites", "counted", ties('<connect body1="two" body2="world" anchor="0.1 0.2 0.3"/>'), "equality_0", check="loop"),
    Row("`<connect>`, `<weld>` of bodies and of sites", "counted", ties('<connect site1="on_two" site2="post"/>'), check="loop"),
    Row("`<connect>`, `<weld>` of bodies and of sites", "counted", ties('<weld body1="two" body2="world" anchor="0.1 0.2 0.3"/>'), check="loop"),
    Row("`<connect>`, `<weld>` of bodies and of sites", "counted", ties('<weld site1="on_two" site2="post" torquescale="0"/>'), check="loop"),
    Row("`<equality><joint>`: linear `polycoef`, `active`", "counted", ties('<joint joint1="a" joint2="b" polycoef="0.1 0.7 0 0 0"/><joint joint1="a" joint2="b" active="false"/>'), "held exactly", check="coupling"),
    Row("`<equality><joint>`: `polycoef` of a curve", "Unsupported", ties('<joint joint1="a" joint2="b" polycoef="0.1 0.7 0.2 0 0"/>'), "joint 'a' is a curve of 'b'"),
    Row("`<equality><tendon>`", "Unsupported", tendon("", '<equality><tendon tendon1="t"/></equality>'), "a tendon constraint"),
    Row("equalities: `solref`, `solimp`, `torquescale`", "note", ties('<connect body1="two" body2="world" anchor="0.1 0.2 0.3" solref="0.01 1"/>'), "solref and solimp are not used", check="loop"),
    # Tendons
    Row("tendons: `stiffness`, `damping`, `frictionloss`, `armature`", "Unsupported", tendon('stiffness="2"'), "tendon 't' (arm.xml:13) has stiffness"),
    Row("tendons: `stiffness`, `damping`, `frictionloss`, `armature`", "Unsupported", tendon('damping="0.4"'), "has damping"),
    Row("tendons: `stiffness`, `damping`, `frictionloss`, `armature`", "Unsupported", tendon('damping="0 0.2"'), "has damping"),
    Row("tendons: `stiffness`, `damping`, `frictionloss`, `armature`", "Unsupported", tendon('frictionloss="0.3"'), "has frictionloss"),
    Row("tendons: `stiffness`, `damping`, `frictionloss`, `armature`", "Unsupported", tendon('armature="0.1"'), "has armature"),
    Row("tendons: `stiffness`, `damping`, `frictionloss`, `armature`", "Unsupported", spatial('damping="0.4"'), "has damping"),
    Row("actuators on tendons: `armature`, `damping`", "Unsupported", {"more": tendon("")["more"] + '<actuator><motor tendon="t" armature="0.1"/></actuator>'}, "drives no joint"),
    Row("tendons: `range`, `springlength`, `width`, those without a force or on what does not move", "note", tendon('range="-20 20" springlength="0.3"'), "1 tendon is not part of the equations, nor are its limits"),
    Row("tendons: `range`, `springlength`, `width`, those without a force or on what does not move", "note", {"more": '<tendon><spatial damping="3"><site site="post"/><site site="beside"/></spatial></tendon>', "world": '<site name="beside"/>'}, "1 tendon is not part of the equations"),
    # Actuators
    Row("actuators on joints: `armature`, `damping`, times `gear` squared", "counted", drives('<motor joint="a" gear="3" armature="0.01" damping="0.02 0.003"/><position joint="a" gear="-2" armature="0.02"/>')),
    Row("actuators on joints: `forcerange`; `ctrlrange` of `<motor>`", "counted", drives('<position joint="a" kp="9" gear="-3" forcerange="-5 5"/><motor joint="b" gear="7" ctrlrange="-2 2"/>'), check="efforts"),
    Row("`<dcmotor>`: `motorconst`, `nominal`, `resistance`, `inductance`, `saturation`, `thermal`, `cogging`, `lugre`", "counted", drives('<dcmotor joint="a" gear="30" motorconst="0.05 0" resistance="2" saturation="0.3 0 0" armature="1e-5"/>'), check="motor"),
    Row("`<dcmotor>`: `motorconst` of two numbers", "note", drives('<dcmotor joint="a" motorconst="0.05 0.06" resistance="2"/>'), "geometric mean 0.0547723"),
    Row("`<dcmotor>`: `controller`, `input`", "note", drives('<dcmotor name="m" joint="a" motorconst="0.05 0" resistance="2" input="pos" controller="3 0 1"/>'), "actuator 'm' (arm.xml:13) (kp 3, kd 1)"),
    Row("`<motor>`, `<position>`, `<velocity>`, `<intvelocity>`, `<damper>`, `<cylinder>`, `<general>`: gains, `timeconst`, `actrange`", "note", drives('<position name="m" joint="a" kp="500" kv="50" timeconst="0.1" ctrlrange="-1 1"/>'), "(kp 500, kv 50, timeconst 0.1, ctrlrange -1 to 1)"),
    Row("`<motor>`, `<position>`, `<velocity>`, `<intvelocity>`, `<damper>`, `<cylinder>`, `<general>`: gains, `timeconst`, `actrange`", "note", drives('<intvelocity name="m" joint="a" kp="3" actrange="-1 1"/>'), "(kp 3, dyntype integrator, actrange -1 to 1)"),
    Row("`<motor>`, `<position>`, `<velocity>`, `<intvelocity>`, `<damper>`, `<cylinder>`, `<general>`: gains, `timeconst`, `actrange`", "note", drives('<damper name="m" joint="a" kv="2" ctrlrange="0 1"/>'), "(gain 0 0 -2, ctrlrange 0 to 1)"),
    Row("`<pid>`", "note", drives('<pid name="m" joint="a" kp="3" kv="2"/>'), "(pid of 2 controls pos vel, kp 3, kv 2)"),
    Row("`<pid>`", "note", drives('<pid name="m" joint="a" kp="3" ki="1" imax="4" slewmax="5" input="pos ff"/>'), "(pid of 2 controls pos ff, kp 3, ki 1, imax 4, slewmax 5)"),
    Row("`<muscle>`, `<adhesion>`, `<plugin>` of actuators; transmissions by site, tendon, body, slider-crank", "note", drives('<muscle name="m" joint="a" lengthrange="-1 1"/>'), "actuator 'm' (arm.xml:13) (muscle)"),
    Row("`<muscle>`, `<adhesion>`, `<plugin>` of actuators; transmissions by site, tendon, body, slider-crank", "note", drives('<motor name="m" site="on_two" gear="1 0 0 0 0 0" ctrlrange="-1 1"/><adhesion body="one" ctrlrange="0 1"/>'), "(ctrlrange -1 to 1)"),
    Row("`<muscle>`, `<adhesion>`, `<plugin>` of actuators; transmissions by site, tendon, body, slider-crank", "note", {"top": '<extension><plugin plugin="mujoco.pid"/></extension>', **drives('<plugin name="m" joint="a" plugin="mujoco.pid" actdim="1"><config key="ki" value="4"/></plugin>')}, "actuator 'm' (arm.xml:13) (plugin)"),
    Row("actuators: `delay`", "note", drives('<motor name="m" joint="a" delay="0.01" nsample="5"/>'), "(delay 0.01 s)"),
    # What bends, is computed elsewhere, touches, or is seen
    Row("`<flex>`, `<flexcomp>`, plugins of bodies", "Unsupported", {"world": '<flexcomp name="cloth" type="grid" count="2 2 1" spacing="0.1 0.1 0.1" dim="2" mass="0.1"/>'}, "flex 'cloth'"),
    Row("contacts: `<geom>`, `<pair>`, `<exclude>` and their numbers", "note", {"world": '<geom type="plane" size="1 1 1" pos="0 0 -9"/>', "in_two": '<geom size="0.02" friction="2" margin="0.01" solref="0.01 1"/>'}, "contacts between geoms are not part of the equations"),
    Row("`<body mocap=\"true\">`", "note", {"world": '<body name="goal" mocap="true"/>'}, "mocap bodies stand where the file puts them: goal"),
    Row("`<keyframe>`, `<sensor>`", "note", {"more": '<sensor><jointpos joint="a"/></sensor><keyframe><key/></keyframe>'}, "1 sensor is not used"),
    Row("`<camera>`, `<light>`, `<skin>`, textures, `<visual>`, `<statistic>`, `<size>`, `<custom>`", "note", {"top": '<visual><map fogend="3"/></visual><size nuser_jnt="1"/>', "in_two": "<camera/><light/>", "a": 'user="3"'}, "1 camera, 1 light, <visual>, <size>"),
    Row("sites with a name, `<geom>` as shapes", "counted", {"in_two": '<site name="tool" pos="0.1 0.2 0.4" euler="1 2 3"/>'}, check="frames"),
    Row("sites without a name", "note", {"in_two": "<site/>"}, "sites have no name"),
    Row("`group`, `user`, `simple`, `sleep`, `fuse`", "no bearing", {"one": 'sleep="never" simple="false"', "a": 'group="3"'}),
]  # fmt: skip
"""Every element that MuJoCo's reference of MJCF lists as physics, and those of pictures and memory together."""
